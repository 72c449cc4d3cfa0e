/** Toolbar of the editor; on a phone it stays above the keyboard. One stop of Tab, arrow keys move within. */

import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import {
  IconBlockquote, IconBold, IconCode, IconHeading, IconItalic, IconLink, IconList, IconListCheck, IconListNumbers, IconMarkdown, IconPaperclip,
  IconSeparator, IconSourceCode, IconSparkles, IconStrikethrough, IconTable, type Icon,
} from "@tabler/icons-react";
import type { EditorView } from "@codemirror/view";
import { useEffect, useRef, type KeyboardEvent } from "react";

import { t, type MessageKey } from "@/i18n";

import type { Asked } from "./Assistance";
import { bold, code, codeBlock, heading, italic, link, list, quote, rule, struck, table, type Run } from "./commands";
import styles from "./FormatBar.module.css";

interface Props {
  view: EditorView | null;
  source: boolean;
  onSource: (source: boolean) => void;
  onFile?: () => void;
  assistance: readonly Asked[];
  onAsk: (asked: Asked) => void;
}

interface Tool {
  word: MessageKey;
  icon: Icon;
  run: Run;
  keys?: string;
}

const WORDS: readonly Tool[] = [
  { word: "markdown.bold", icon: IconBold, run: bold, keys: "Control+B Meta+B" },
  { word: "markdown.italic", icon: IconItalic, run: italic, keys: "Control+I Meta+I" },
  { word: "markdown.struck", icon: IconStrikethrough, run: struck, keys: "Control+Shift+X Meta+Shift+X" },
  { word: "markdown.inline_code", icon: IconCode, run: code, keys: "Control+E Meta+E" },
  { word: "markdown.link", icon: IconLink, run: link },
];

const LINES: readonly Tool[] = [
  { word: "markdown.menu.bullet", icon: IconList, run: list("bullet"), keys: "Control+Shift+8 Meta+Shift+8" },
  { word: "markdown.menu.number", icon: IconListNumbers, run: list("number"), keys: "Control+Shift+7 Meta+Shift+7" },
  { word: "markdown.menu.task", icon: IconListCheck, run: list("task"), keys: "Control+Shift+9 Meta+Shift+9" },
  { word: "markdown.menu.quote", icon: IconBlockquote, run: quote },
  { word: "markdown.menu.code", icon: IconSourceCode, run: codeBlock },
  { word: "markdown.menu.table", icon: IconTable, run: table },
  { word: "markdown.menu.rule", icon: IconSeparator, run: rule },
];

const LEVELS = [0, 1, 2, 3] as const;

/** The text keeps the focus and the selection. */
const keepFocus = (event: React.MouseEvent): void => event.preventDefault();

export function FormatBar({ view, source, onSource, onFile, assistance, onAsk }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useAboveKeyboard(bar);
  const run = (tool: Run): void => {
    if (!view) return;
    view.focus();
    tool(view);
  };
  return (
    <div ref={bar} className={styles.bar} role="toolbar" aria-label={t("markdown.toolbar")} onKeyDown={move}>
      <Headings onChoose={(level) => run(heading(level))} />
      {WORDS.map((tool) => <Button key={tool.word} {...tool} onRun={run} />)}
      <span className={styles.gap} />
      {LINES.map((tool) => <Button key={tool.word} {...tool} onRun={run} />)}
      {onFile && <Plain word="markdown.menu.file" icon={IconPaperclip} onClick={onFile} />}
      <span className={styles.space} />
      {assistance.length > 0 && <Assist assistance={assistance} view={view} onAsk={onAsk} />}
      <Plain word="markdown.source" icon={IconMarkdown} pressed={source} onClick={() => onSource(!source)} />
    </div>
  );
}

function Button({ word, icon, run, keys, onRun }: Tool & { onRun: (run: Run) => void }) {
  return <Plain word={word} icon={icon} keys={keys} onClick={() => onRun(run)} />;
}

function Plain({ word, icon: Picture, keys, pressed, onClick }: Omit<Tool, "run"> & { pressed?: boolean; onClick: () => void }) {
  return (
    <Tooltip label={t(word)} openDelay={400}>
      <ActionIcon
        variant={pressed ? "light" : "subtle"} color="gray" size={34} tabIndex={-1}
        aria-label={t(word)} aria-keyshortcuts={keys} aria-pressed={pressed} onMouseDown={keepFocus} onClick={onClick}
      >
        <Picture aria-hidden size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

function Headings({ onChoose }: { onChoose: (level: number) => void }) {
  return (
    <Menu position="bottom-start" returnFocus={false}>
      <Menu.Target>
        {/* The first of the bar takes Tab. */}
        <ActionIcon variant="subtle" color="gray" size={34} aria-label={t("markdown.headings")} onMouseDown={keepFocus}>
          <IconHeading aria-hidden size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {LEVELS.map((level) => (
          <Menu.Item key={level} className={styles[`level${level}`]} onClick={() => onChoose(level)}>
            {t(level === 0 ? "markdown.menu.plain" : `markdown.menu.heading${level}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Assist({ assistance, view, onAsk }: Pick<Props, "assistance" | "view" | "onAsk">) {
  const isEmpty = (): boolean => view?.state.selection.main.empty ?? true;
  return (
    <Menu position="bottom-end" width={240} returnFocus={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={34} tabIndex={-1} aria-label={t("markdown.assist")} onMouseDown={keepFocus}>
          <IconSparkles aria-hidden size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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

function move(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(":scope > button")];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  const mirrored = getComputedStyle(event.currentTarget).direction === "rtl" && Number.isFinite(step) ? -step : step;
  buttons[Math.max(0, Math.min(buttons.length - 1, at + mirrored))]?.focus();
}

/** Some phones lay the keyboard over the page: the bar moves up by what is hidden. */
function useAboveKeyboard(bar: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!seen) return;
    const place = (): void => {
      const hidden = Math.max(0, window.innerHeight - seen.height - seen.offsetTop);
      bar.current?.style.setProperty("--keyboard", `${seen.scale === 1 ? hidden : 0}px`);
    };
    seen.addEventListener("resize", place);
    seen.addEventListener("scroll", place);
    return () => {
      seen.removeEventListener("resize", place);
      seen.removeEventListener("scroll", place);
    };
  }, [bar]);
}
