/** The team's tools by source; admins turn them on and off. */

import { IconTool } from "@tabler/icons-react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { useTools, type Tool } from "./queries";
import { bySource, sourceOf } from "./sources";
import { ToolLine } from "./ToolLine";
import styles from "./Tools.module.css";

export default function ToolsScreen() {
  const { me, can } = useSession();
  const intro = t(can("settings:manage") ? "tools.intro" : "tools.intro.reader", { team: me.team.name });
  return (
    <Page title={t("tools.title")} intro={intro}>
      <Tools />
    </Page>
  );
}

function Tools() {
  const tools = useTools();
  const [wanted, setWanted] = useWanted();
  if (tools.isPending) return <Loading />;
  if (!tools.data) return <Failed error={tools.error} again={() => void tools.refetch()} />;
  if (tools.data.length === 0) {
    return (
      <Empty title={t("tools.none")} icon={IconTool}>
        {t("tools.none.words")}
      </Empty>
    );
  }
  const found = tools.data.filter((tool) => fits(wanted, tool.name, tool.description, tool.source));
  const count = t("tools.count", { count: found.length, on: found.filter((tool) => tool.enabled).length });
  return (
    <>
      <ListFilter label={t("tools.filter")} value={wanted} onChange={setWanted} count={count} />
      {bySource(found).map(([source, some]) => (
        <SourceSection key={source} source={source} tools={some} />
      ))}
      {found.length === 0 && <Empty title={t("tools.none.filtered")} />}
    </>
  );
}

/** In the address, so that other screens can lead to the tools of one source. */
function useWanted(): [string, (wanted: string) => void] {
  const { q } = useSearch({ strict: false }) as { q?: string };
  const go = useNavigate();
  return useAddressText(q, (wanted) => void go({ to: ".", search: { q: wanted } as never, replace: true }));
}

function SourceSection({ source, tools }: { source: string; tools: readonly Tool[] }) {
  const { title, words, to } = sourceOf(source);
  const about = to && (
    <>
      {" "}
      <Link to={to}>{t("tools.source.link", { source: title })}</Link>
    </>
  );
  return (
    <Section title={title} intro={<>{words}{about}</>}>
      <ul className={styles.tools} aria-label={title}>
        {tools.map((tool) => (
          <ToolLine key={tool.name} tool={tool} />
        ))}
      </ul>
    </Section>
  );
}
