/** The buttons of the bars. */

import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconHeading, IconSparkles } from "@tabler/icons-react";
import type { EditorView } from "@codemirror/view";
import { Fragment, useRef, type KeyboardEvent, type RefObject } from "react";

import { t } from "@/i18n";
import { keyWords } from "@/ui/keys";

import type { Asked } from "./Assistance";
import { heading, type Run } from "./commands";
import styles from "./Tools.module.css";
import { LEVELS, type Tool } from "./toolTable";

/** The text keeps the focus and the selection. */
export const keepFocus = (event: React.MouseEvent): void => event.preventDefault();

interface Props {
  view: EditorView | null;
  groups: readonly (readonly Tool[])[];
}

/** The menu of headings, and the tools of the table. */
export function Tools({ view, groups }: Props) {
  const run = (tool: Run): void => {
    if (!view) return;
    view.focus();
    tool(view);
  };
  return (
    <>
      <Headings onChoose={(level) => run(heading(level))} />
      {groups.map((tools, place) => (
        <Fragment key={place}>
          {place > 0 && <Gap />}
          {tools.map((tool) => <ToolButton key={tool.word} {...tool} onClick={() => run(tool.run)} />)}
        </Fragment>
      ))}
    </>
  );
}

export function Gap() {
  return <span className={styles.gap} />;
}

interface ButtonProps extends Omit<Tool, "run"> {
  pressed?: boolean;
  /** It keeps the focus, which would be lost with the attribute. */
  disabled?: boolean;
  onClick: () => void;
}

export function ToolButton({ word, icon: Picture, keys, pressed, disabled, onClick }: ButtonProps) {
  return (
    <Tooltip label={keys ? `${t(word)} (${keyWords(keys)})` : t(word)} openDelay={400}>
      <ActionIcon
        variant={pressed ? "light" : "subtle"} color="gray" size={34} className={styles.tool}
        aria-label={t(word)} aria-keyshortcuts={keys} aria-pressed={pressed} aria-disabled={disabled}
        onMouseDown={keepFocus} onClick={disabled ? undefined : onClick}
      >
        <Picture aria-hidden size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

function Headings({ onChoose }: { onChoose: (level: number) => void }) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-start" returnFocus={false}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size={34} aria-label={t("markdown.headings")} onMouseDown={keepFocus}>
          <IconHeading aria-hidden size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onKeyDownCapture={backTo(button)}>
        {LEVELS.map((level) => (
          <Menu.Item key={level} className={styles[`level${level}`]} onClick={() => onChoose(level)}>
            {t(level === 0 ? "markdown.menu.plain" : `markdown.menu.heading${level}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface AssistProps {
  assistance: readonly Asked[];
  view: EditorView | null;
  onAsk: (asked: Asked) => void;
}

export function Assist({ assistance, view, onAsk }: AssistProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isEmpty = (): boolean => view?.state.selection.main.empty ?? true;
  return (
    <Menu position="bottom-end" width={240} returnFocus={false}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size={34} aria-label={t("markdown.assist")} onMouseDown={keepFocus}>
          <IconSparkles aria-hidden size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onKeyDownCapture={backTo(button)}>
        <Menu.Label>{t(isEmpty() ? "markdown.assist.all" : "markdown.assist.selection")}</Menu.Label>
        {assistance.map((asked) => (
          <Menu.Item key={asked.name} onClick={() => onAsk(asked)}>
            {t(`markdown.assist.${asked.name}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A menu that closes without a choice gives the focus back to its button; a choice gives it to the text. */
function backTo(button: RefObject<HTMLButtonElement | null>) {
  return (event: KeyboardEvent): void => {
    if (event.key === "Escape") setTimeout(() => button.current?.focus());
  };
}
