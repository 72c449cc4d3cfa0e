/** One tool: what it does, what it needs, its arguments, and its switch. */

import { Collapse, Switch, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { notice, noticeFault } from "@/ui/notice";
import { permissionName } from "@/ui/permissions";
import { Tag } from "@/ui/Tag";

import { Arguments } from "./Arguments";
import { argumentsOf } from "./arguments";
import { useSwitch, type Tool } from "./queries";
import styles from "./Tools.module.css";

export function ToolLine({ tool }: { tool: Tool }) {
  const { can } = useSession();
  const id = useId();
  const [opened, setOpened] = useState(false);
  const known = argumentsOf(tool.parameters);
  return (
    <li className={styles.tool} data-off={!tool.enabled || undefined}>
      <div className={styles.head}>
        <div className={styles.words}>
          <code className={styles.name}>{tool.name}</code>
          <p>
            <Description text={tool.description} />
          </p>
          <Needs tool={tool} />
        </div>
        {can("settings:manage") ? <ToolSwitch tool={tool} /> : <State enabled={tool.enabled} />}
      </div>
      {known.length === 0 ? (
        <p className={styles.none}>{t("tools.arguments.none")}</p>
      ) : (
        <>
          <UnstyledButton className={styles.more} aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
            <IconChevronRight aria-hidden size={14} className={styles.chevron} />
            {t("tools.arguments.count", { count: known.length })}
            <span className="sr-only"> {t("tools.arguments.of", { name: tool.name })}</span>
          </UnstyledButton>
          <Collapse expanded={opened} transitionDuration={120} id={id}>
            {opened && <Arguments tool={tool.name} arguments={known} />}
          </Collapse>
        </>
      )}
    </li>
  );
}

/** Names of arguments and tools are in backticks. */
function Description({ text }: { text: string }) {
  return text.split("`").map((piece, place) => (place % 2 === 1 ? <code key={place}>{piece}</code> : piece));
}

function Needs({ tool: { permission, feature } }: { tool: Tool }) {
  const { has } = useSession();
  return (
    <div className={styles.needs}>
      <Tag>{t("tools.needs", { permission: permissionName(permission) })}</Tag>
      {feature && (
        <Tag tone={has(feature) ? "plain" : "warning"}>
          {t(has(feature) ? "tools.feature" : "tools.feature.off", { feature: t(`features.${feature}`) })}
        </Tag>
      )}
    </div>
  );
}

function State({ enabled }: { enabled: boolean }) {
  return <Tag tone={enabled ? "success" : "plain"}>{enabled ? t("tools.on") : t("tools.off")}</Tag>;
}

function ToolSwitch({ tool: { name, enabled } }: { tool: Tool }) {
  const change = useSwitch();

  function turn(wanted: boolean): void {
    change.mutate(
      { name, enabled: wanted },
      { onSuccess: () => notice(t("tools.switched", { name, state: wanted ? "on" : "off" })), onError: noticeFault },
    );
  }

  return (
    <span className={styles.switch}>
      <span className={styles.state} aria-hidden>
        {enabled ? t("tools.on") : t("tools.off")}
      </span>
      <Switch aria-label={t("tools.switch", { name })} checked={enabled} onChange={(event) => turn(event.currentTarget.checked)} />
    </span>
  );
}
