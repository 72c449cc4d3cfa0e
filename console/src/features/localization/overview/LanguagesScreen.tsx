/** Every language with its coverage; drafts, files and the language policy for those who manage them. */

import { Button } from "@mantine/core";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { languageName, number, t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { useCoverage } from "../queries";
import { AddDialog } from "./AddDialog";
import { ImportDialog } from "./ImportDialog";
import { LanguageTable } from "./LanguageTable";
import { PolicySection } from "./PolicySection";

export default function LanguagesScreen() {
  const { can } = useSession();
  const coverage = useCoverage();
  const [open, setOpen] = useState<"add" | "import" | null>(null);
  const mayManage = can("localization:manage");
  const close = (): void => setOpen(null);
  const data = coverage.data;
  const source = data?.items.find(({ locale }) => locale === data.source);
  return (
    <Page
      title={t("localization.title")}
      intro={source ? t("localization.intro", { count: number(source.total), language: languageName(source.locale) }) : t("localization.intro.short")}
      actions={
        mayManage &&
        data && (
          <>
            <Button variant="default" leftSection={<IconFileImport aria-hidden size={16} />} onClick={() => setOpen("import")}>
              {t("localization.import")}
            </Button>
            <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={() => setOpen("add")}>
              {t("localization.add")}
            </Button>
          </>
        )
      }
    >
      {coverage.isPending && <Loading />}
      {coverage.isError && !data && <Failed error={coverage.error} again={() => void coverage.refetch()} />}
      {data && <LanguageTable coverage={data} />}
      {data && can("instance:manage") && <PolicySection locales={data.items.map(({ locale }) => locale)} />}
      {open === "add" && data && <AddDialog known={data.items.map(({ locale }) => locale)} onClose={close} />}
      {open === "import" && data && <ImportDialog locales={data.items.map(({ locale }) => locale)} onClose={close} />}
    </Page>
  );
}
