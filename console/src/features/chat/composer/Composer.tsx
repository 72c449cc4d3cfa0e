/** The prompt: grows with its text, takes files and mentions, and keeps what isn't sent. */

import { ActionIcon, Button, FileButton, Textarea, Tooltip } from "@mantine/core";
import { useDebouncedValue, useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconArrowUp, IconAt, IconPaperclip, IconPlayerStopFilled, IconTool } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState, type ClipboardEvent, type DragEvent, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Fault } from "@/ui/forms";
import { imagesOf } from "@/ui/turns/content";

import { dismiss, NEW, type Entry } from "../answers";
import { contentOf } from "../content";
import { EMPTY, useDraft, useUnsent, type Draft, type Reference } from "../drafts";
import { useAttachable, type Found } from "../queries";
import { refusedTitle, type Answerer, type Question } from "../question";
import type { Snapshot } from "../stream/answering";
import { useAbout } from "./about";
import { useAttachments } from "./attachments";
import { onSuggested } from "./bus";
import { Chips } from "./Chips";
import styles from "./Composer.module.css";
import { Gauge } from "./Gauge";
import { mentionAt, withoutMention, type Mention } from "./mention";
import { ModelChoice } from "./ModelChoice";
import { optionId, Picker } from "./Picker";

interface Props {
  place: string;
  entry?: Entry;
  now?: Snapshot;
  isBusy: boolean;
  answerer: Answerer;
  onAnswerer: (answerer: Answerer) => void;
  onAsk: (question: Omit<Question, "parentId" | keyof Answerer>) => void;
  onStop: () => void;
}

const PAUSE = 150;
const LONGEST = 200_000;

const has = ({ references }: Draft, id: string): boolean => references.some((one) => one.id === id);
const without = ({ references }: Draft, id: string): Reference[] => references.filter((one) => one.id !== id);

export function Composer({ place, entry, now, isBusy, answerer, onAnswerer, onAsk, onStop }: Props) {
  const session = useSession();
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft(place);
  useUnsent(place, entry !== undefined, setDraft);
  const [usesTools, setUsesTools] = useLocalStorage({ key: "teamspace.chat.tools", defaultValue: false, getInitialValueInEffect: false });
  const [isOver, setIsOver] = useState(false);
  const hasAgent = session.has("agent");

  const attach = (reference: Reference): void => {
    setDraft((newest) => (has(newest, reference.id) ? newest : { ...newest, references: [...newest.references, reference] }));
  };
  const attachments = useAttachments(place, attach);
  useAbout(attach);
  const picking = usePicking(draft.text, field, (mention, found) => {
    const reference: Reference = { type: found.type, id: found.id, title: found.title };
    setDraft((newest) => ({ text: withoutMention(newest.text, mention), references: [...without(newest, found.id), reference] }));
    requestAnimationFrame(() => field.current?.setSelectionRange(mention.start, mention.start));
  });

  useFocus(field, place, isBusy);
  useEffect(
    () =>
      onSuggested(({ text, tools, picks }) => {
        setDraft((newest) => ({ ...newest, text: picks ? `${text}@` : text }));
        if (tools) setUsesTools(true);
        requestAnimationFrame(() => {
          field.current?.focus();
          picking.look();
        });
      }),
  );

  // Restore a refused prompt, unless the user has begun another one.
  const refused = now?.refusal ? entry?.asked : undefined;
  const given = useRef<typeof refused>(undefined);
  const isEmpty = draft.text === "" && draft.references.length === 0 && attachments.items.length === 0;
  const { restore } = attachments;
  useEffect(() => {
    if (!refused?.draft || given.current === refused) return;
    given.current = refused;
    if (!isEmpty) return;
    setDraft(refused.draft);
    restore(imagesOf(refused.content ?? "").map(({ image_url }) => image_url.url));
  }, [refused, isEmpty, setDraft, restore]);

  const isUploading = attachments.items.some(({ state }) => state === "busy");
  const images = attachments.items.flatMap(({ image }) => (image ? [image] : []));
  const text = draft.text.trim();
  const isTooLong = text.length > LONGEST;
  const maySend = !isBusy && !isUploading && !isTooLong && (text !== "" || images.length > 0 || draft.references.length > 0);

  function send(): void {
    field.current?.focus();
    if (!maySend) return;
    onAsk({
      content: contentOf(text, draft.references, images),
      tools: usesTools && hasAgent,
      draft,
    });
    setDraft(EMPTY);
    attachments.clear();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing || picking.onKeyDown(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  }

  function onPaste(event: ClipboardEvent): void {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    attachments.add([...event.clipboardData.files]);
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    attachments.add([...event.dataTransfer.files]);
  }

  return (
    <div className={styles.composer}>
      {now?.refusal && (
        <div className={styles.refused}>
          <Fault fault={now.refusal} about={entry?.asked && refusedTitle(now.refusal, entry.asked)} />
        </div>
      )}
      {picking.opened && <Picker {...picking.list} />}
      <form
        className={styles.box}
        aria-label={t("chat.composer")}
        data-drop={isOver}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <Chips
          references={draft.references}
          attachments={attachments.items}
          onRemoveReference={(id) => setDraft((newest) => ({ ...newest, references: without(newest, id) }))}
          onRemoveAttachment={attachments.remove}
        />
        <Textarea
          ref={field}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={12}
          // More than may be sent, so that what is too long is said instead of cut; a paste can be of any length.
          maxLength={2 * LONGEST}
          aria-label={t("chat.field")}
          aria-invalid={isTooLong}
          placeholder={t("chat.field.hint")}
          aria-autocomplete="list"
          aria-controls={picking.opened ? picking.list.id : undefined}
          aria-activedescendant={picking.active}
          value={draft.text}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setDraft((newest) => ({ ...newest, text }));
            picking.look();
            if (now?.refusal) dismiss(place);
          }}
          onSelect={picking.look}
          onBlur={picking.close}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isTooLong && (
          <p className={styles.tooLong} role="alert">
            {t("chat.too_long", { count: LONGEST })}
          </p>
        )}
        <div className={styles.bar}>
          <FileButton multiple onChange={(files) => attachments.add(files)}>
            {(props) => (
              <Tooltip label={t("chat.attach")} openDelay={300}>
                <ActionIcon {...props} variant="subtle" color="gray" size={32} aria-label={t("chat.attach")}>
                  <IconPaperclip aria-hidden size={17} />
                </ActionIcon>
              </Tooltip>
            )}
          </FileButton>
          {session.can("search") && (
            <Tooltip label={t("chat.mention")} openDelay={300}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label={t("chat.mention")}
                onClick={() => {
                  const gap = draft.text === "" || /\s$/.test(draft.text) ? "" : " ";
                  setDraft((newest) => ({ ...newest, text: `${draft.text}${gap}@` }));
                  field.current?.focus();
                  requestAnimationFrame(picking.look);
                }}
              >
                <IconAt aria-hidden size={17} />
              </ActionIcon>
            </Tooltip>
          )}
          {hasAgent && (
            <Tooltip label={t("chat.tools.words")} openDelay={300} multiline w={240}>
              <Button
                className={styles.toggle}
                variant="subtle"
                color="gray"
                size="compact-md"
                aria-pressed={usesTools}
                leftSection={<IconTool aria-hidden size={15} />}
                onClick={() => setUsesTools(!usesTools)}
              >
                {t("chat.tools")}
              </Button>
            </Tooltip>
          )}
          <span className={styles.space} />
          {isBusy ? (
            <Button variant="default" size="compact-md" leftSection={<IconPlayerStopFilled aria-hidden size={13} />} disabled={!now || now.isStopping} onClick={onStop}>
              {now?.isStopping ? t("chat.stopping") : t("chat.stop")}
            </Button>
          ) : (
            <ActionIcon type="submit" size={32} radius="xl" aria-label={t("chat.send")} disabled={!maySend}>
              <IconArrowUp aria-hidden size={18} />
            </ActionIcon>
          )}
        </div>
      </form>
      <div className={styles.under}>
        <ModelChoice answerer={answerer} onChoose={onAnswerer} />
        <Gauge />
        <span className={styles.keys}>
          <kbd>Enter</kbd> {t("chat.keys.send")} <kbd>Shift Enter</kbd> {t("chat.keys.line")}
        </span>
      </div>
    </div>
  );
}

/** With a keyboard, the prompt has the focus in a new chat, and keeps it when the chat gets its own address. */
function useFocus(field: React.RefObject<HTMLTextAreaElement | null>, place: string, isBusy: boolean): void {
  const hasKeyboard = useMediaQuery("(hover: hover) and (pointer: fine)", undefined, { getInitialValueInEffect: false });
  const begins = hasKeyboard && (isBusy || (place === NEW && location.pathname.endsWith("/new")));
  useEffect(() => {
    if (begins && document.activeElement === document.body) field.current?.focus({ preventScroll: true });
    // Only when the composer is shown for another conversation.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [place]);
}

/** The picker that a mention opens. */
function usePicking(text: string, field: React.RefObject<HTMLTextAreaElement | null>, onChoose: (mention: Mention, found: Found) => void) {
  const { can } = useSession();
  const id = useId();
  const [mention, setMention] = useState<Mention>();
  const [chosen, setChosen] = useState(0);
  const [words] = useDebouncedValue(mention?.words ?? "", PAUSE);
  const opened = mention !== undefined && can("search");
  const search = useAttachable(words, opened);
  const found = opened && words !== "" ? (search.data ?? []) : [];
  const place = Math.min(chosen, Math.max(0, found.length - 1));

  const look = (): void => {
    const now = field.current;
    const next = now && now.selectionStart === now.selectionEnd ? mentionAt(now.value, now.selectionStart) : undefined;
    if (next?.words !== mention?.words) setChosen(0);
    if (next?.start !== mention?.start || next?.end !== mention?.end) setMention(next);
  };
  const close = (): void => setMention(undefined);
  const choose = (thing: Found): void => {
    if (mention) onChoose(mention, thing);
    close();
  };
  useEffect(() => {
    if (text === "") close();
  }, [text]);

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!opened) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const thing = found[place];
    if (event.key === "Escape") close();
    else if (step && found.length > 0) setChosen((place + step + found.length) % found.length);
    else if ((event.key === "Enter" || event.key === "Tab") && thing) choose(thing);
    else return false;
    event.preventDefault();
    return true;
  }

  return {
    opened,
    active: found[place] && optionId(id, place),
    list: { id, words: mention?.words ?? "", found, isBusy: search.isFetching || words !== mention?.words, chosen: place, onChoose: choose },
    look,
    close,
    onKeyDown,
  };
}
