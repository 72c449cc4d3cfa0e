/** One tool: what it does, what it needs, its arguments, its last calls, and its switch. */

import { Collapse, Switch, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconChevronRight } from "@tabler/icons-react";
import { useId, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { notice, noticeFault } from "@/ui/notice";
import { permissionName } from "@/ui/permissions";
import { Tag } from "@/ui/Tag";

import { Arguments } from "./Arguments";
import { argumentsOf } from "./arguments";
import { LastCalls } from "./LastCalls";
import { useSwitch, type Tool } from "./queries";
import styles from "./Tools.module.css";

export function ToolLine({ tool }: { tool: Tool }) {
  const { can } = useSession();
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
      {tool.changed && <Changed />}
      <div className={styles.more}>
        {known.length === 0 ? (
          <p className={styles.none}>{t("tools.arguments.none")}</p>
        ) : (
          <Folded title={t("tools.arguments.count", { count: known.length })} of={t("tools.of", { name: tool.name })}>
            <Arguments tool={tool.name} arguments={known} />
          </Folded>
        )}
        {can("settings:manage") && (
          <Folded title={t("tools.calls")} of={t("tools.of", { name: tool.name })}>
            <LastCalls tool={tool.name} />
          </Folded>
        )}
      </div>
    </li>
  );
}

/** A button that shows more below all buttons; what it hides is not loaded before. */
function Folded({ title, of, children }: { title: string; of: string; children: ReactNode }) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <UnstyledButton className={styles.fold} aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
        <IconChevronRight aria-hidden size={14} className={styles.chevron} />
        {title}
        <span className="sr-only"> {of}</span>
      </UnstyledButton>
      <Collapse className={styles.unfolded} expanded={opened} transitionDuration={120} id={id}>
        {opened && children}
      </Collapse>
    </>
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

/** What the team agreed to is not what the tool says today. */
function Changed() {
  const { can } = useSession();
  return (
    <p className={styles.changed} role="note">
      <IconAlertTriangle aria-hidden size={16} />
      {t(can("settings:manage") ? "tools.changed" : "tools.changed.reader")}
    </p>
  );
}

function State({ enabled }: { enabled: boolean }) {
  return <Tag tone={enabled ? "success" : "plain"}>{enabled ? t("tools.on") : t("tools.off")}</Tag>;
}

function ToolSwitch({ tool: { name, enabled, pin } }: { tool: Tool }) {
  const change = useSwitch();

  function turn(wanted: boolean): void {
    change.mutate(
      { name, enabled: wanted, pin },
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
