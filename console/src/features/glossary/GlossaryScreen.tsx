/** The team's glossary: terms by target language; admins add, change, import and export them. */

import { Button } from "@mantine/core";
import { IconDownload, IconPlus, IconUpload, IconVocabulary } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { saveFile } from "@/ui/saveFile";
import { Empty, Failed, Loading } from "@/ui/states";

import { toCsv } from "./exchange";
import { ImportDialog } from "./import/ImportDialog";
import { NewTerm } from "./NewTerm";
import { useGlossary, type Term } from "./queries";
import { Terms } from "./Terms";
import { byLanguage } from "./terms";

export default function GlossaryScreen() {
  const { me, can } = useSession();
  const glossary = useGlossary();
  const mayChange = can("settings:manage");
  const [adding, setAdding] = useState(false);
  const [importing, setImporting] = useState(false);
  const terms = glossary.data;
  const changes = mayChange && (
    <>
      <Button variant="default" leftSection={<IconUpload aria-hidden size={16} />} onClick={() => setImporting(true)}>
        {t("glossary.import")}
      </Button>
      <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={() => setAdding(true)}>
        {t("glossary.add")}
      </Button>
    </>
  );
  return (
    <Page
      title={t("glossary.title")}
      intro={t(mayChange ? "glossary.intro" : "glossary.intro.reader", { team: me.team.name })}
      actions={
        terms && terms.length > 0 && (
          <>
            <Export terms={terms} />
            {changes}
          </>
        )
      }
    >
      {glossary.isPending && <Loading />}
      {glossary.isError && !terms && <Failed error={glossary.error} again={() => void glossary.refetch()} />}
      {adding && <NewTerm glossary={terms ?? []} onClose={() => setAdding(false)} />}
      {terms && (terms.length > 0 ? <Terms terms={terms} mayChange={mayChange} /> : !adding && <NoTerms>{changes}</NoTerms>)}
      {importing && terms && <ImportDialog glossary={terms} onClose={() => setImporting(false)} />}
    </Page>
  );
}

function Export({ terms }: { terms: readonly Term[] }) {
  const { me } = useSession();
  function save(): void {
    const sorted = byLanguage(terms).flatMap((group) => group.terms);
    saveFile(`${me.team.slug}-glossary.csv`, new Blob([toCsv(sorted)], { type: "text/csv;charset=utf-8" }));
    notice(t("glossary.export.done", { count: sorted.length }));
  }
  return (
    <Button variant="default" leftSection={<IconDownload aria-hidden size={16} />} onClick={save}>
      {t("glossary.export")}
    </Button>
  );
}

/** With the buttons of those who may change it. */
function NoTerms({ children }: { children: ReactNode }) {
  return (
    <Empty title={t("glossary.none")} icon={IconVocabulary} action={children}>
      {t(children ? "glossary.none.words" : "glossary.none.reader")}
    </Empty>
  );
}
