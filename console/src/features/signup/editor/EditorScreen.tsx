/** The sign-up page: its questions, words and look, with a preview; saved as a draft, then published. */

import { Button } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";

import { t } from "@/i18n";
import { BackLink, WithBack } from "@/ui/Back";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { useExperience } from "../queries";
import { Editor } from "./Editor";

export default function EditorScreen() {
  const experience = useExperience();
  return (
    <WithBack back={<BackLink to="/settings/company/sign-up">{t("prospects.title")}</BackLink>}>
      <Page
        title={t("funnel.title")}
        intro={t("funnel.intro")}
        actions={
          <Button variant="default" component="a" href="/beta/template" target="_blank" rel="noreferrer" leftSection={<IconExternalLink aria-hidden size={16} />}>
            {t("funnel.open")}
          </Button>
        }
      >
        {experience.isPending && <Loading />}
        {experience.isError && !experience.data && <Failed error={experience.error} again={() => void experience.refetch()} />}
        {experience.data && <Editor experience={experience.data} />}
      </Page>
    </WithBack>
  );
}
