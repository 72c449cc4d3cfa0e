/** The sign-up page: its questions, words and look, with a preview; saved as a draft, then published. */

import { Button } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { useExperience } from "../queries";
import { Editor } from "./Editor";
import styles from "./Editor.module.css";

export default function EditorScreen() {
  const experience = useExperience();
  return (
    <div className={styles.screen}>
      <p className={styles.back}>
        <Link to="/settings/company/sign-up">← {t("prospects.title")}</Link>
      </p>
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
    </div>
  );
}
