/**
 * Renders Markdown safely: no HTML, no images from other hosts, and links only where
 * the target is visible. Images of own files are shown, and links to own things stay in the console.
 */

import "@fontsource-variable/inter/wght-italic.css";

import { IconPhoto, IconSquare, IconSquareCheckFilled } from "@tabler/icons-react";
import { createContext, memo, useContext, useEffect, useId, useMemo, useState, type ComponentProps, type MouseEvent, type ReactElement, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";

import { t } from "@/i18n";

import styles from "./Markdown.module.css";
import { hostOf, ownPlace, safeAddress } from "./addresses";
import { Code } from "./Code";
import { Formula } from "./Formula";
import { withFormulas } from "./formulas";
import { numbered } from "./numbered";
import { forgetPicture, pictureOf } from "./pictures";
import { ranks } from "./ranks";
import { taskPlaces } from "./ticking";
import { screenOf, useOpen } from "./useOpen";

const InsideLink = createContext(false);

/** Numbers in brackets that stand for something, and how each is shown. */
export interface Marks {
  numbers: ReadonlySet<number>;
  show: (number: number) => ReactNode;
}

interface Manner {
  marks?: Marks;
  /** Links say which host they lead to: the text is not by a person. */
  hosts?: boolean;
  /** Ticks the task at a place of the text. */
  onTick?: (place: number) => void;
}

/** The task that a checkbox belongs to. */
const TaskContext = createContext<{ place: number; id: string } | null>(null);

const MannerContext = createContext<Manner>({});

const COMPONENTS: Components = {
  h2: ({ children, id, className }) => <h2 className={className ?? styles.first} id={id}>{children}</h2>,
  h3: ({ children }) => <h3 className={styles.second}>{children}</h3>,
  h4: ({ children }) => <h4 className={styles.third}>{children}</h4>,
  h5: ({ children }) => <h5 className={styles.third}>{children}</h5>,
  h6: ({ children }) => <h6 className={styles.third}>{children}</h6>,
  a: ({ href, children, ...rest }) => <Address href={href} {...ofFootnote(rest)}>{children}</Address>,
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt} />,
  input: ({ checked }) => <Tick done={Boolean(checked)} />,
  li: ({ children, className, ...rest }) => <Item className={className} place={(rest as { "data-task"?: unknown })["data-task"]}>{children}</Item>,
  // Wide tables and code scroll, also by keyboard.
  /* eslint-disable jsx-a11y/no-noninteractive-tabindex */
  table: ({ children }) => (
    <div className={styles.wide} role="region" aria-label={t("markdown.table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  /* eslint-enable jsx-a11y/no-noninteractive-tabindex */
  pre: ({ children }) => <Block>{children}</Block>,
  code: ({ children, className }) => (isFormula(className) ? <Formula source={wordsOf(children)} display={false} /> : <code>{children}</code>),
  cite: ({ children }) => <Mark number={Number(wordsOf(children))} />,
};

/** The signs are doubled before: a single one is a price more often than a formula. */
const MATHS = [remarkMath, { singleDollarTextMath: false }] as const;

interface Props extends Manner {
  text: string;
  /** Steps after the text has become elements. */
  rehype?: ComponentProps<typeof ReactMarkdown>["rehypePlugins"];
}

export const Markdown = memo(function Markdown({ text, marks, hosts = false, onTick, rehype }: Props) {
  const formulated = useMemo(() => withFormulas(text), [text]);
  const manner = useMemo(
    () => ({ marks, hosts, onTick: onTick && ((place: number) => onTick(formulated.original(place))) }),
    [marks, hosts, onTick, formulated],
  );
  return (
    <div className={styles.text} dir="auto">
      <MannerContext.Provider value={manner}>
        <ReactMarkdown
          skipHtml
          remarkPlugins={[remarkGfm, [...MATHS], ranks, taskPlaces, [numbered, marks?.numbers]]}
          rehypePlugins={rehype}
          remarkRehypeOptions={{ footnoteLabel: t("markdown.footnotes"), footnoteBackLabel: t("markdown.footnote.back") }}
          urlTransform={safeAddress}
          components={COMPONENTS}
        >
          {formulated.text}
        </ReactMarkdown>
      </MannerContext.Provider>
    </div>
  );
});

const isFormula = (className?: string): boolean => className?.includes("language-math") ?? false;

function wordsOf(children: ReactNode): string {
  return Array.isArray(children) ? children.map(wordsOf).join("") : String(children ?? "");
}

/** A block of code, or a formula on its own line. */
function Block({ children }: { children: ReactNode }) {
  const { className, children: content } = (children as ReactElement<{ className?: string; children?: ReactNode }>).props;
  const text = wordsOf(content).replace(/\n$/, "");
  if (isFormula(className)) return <Formula source={text} display />;
  return <Code code={text} language={/language-([\w+#-]+)/.exec(className ?? "")?.[1]} />;
}

function Mark({ number }: { number: number }) {
  const { marks } = useContext(MannerContext);
  return <>{marks?.show(number) ?? `[${number}]`}</>;
}

type OfFootnote = Pick<ComponentProps<"a">, "id" | "aria-label" | "aria-describedby">;

function ofFootnote(rest: OfFootnote): OfFootnote {
  return { id: rest.id, "aria-label": rest["aria-label"], "aria-describedby": rest["aria-describedby"] };
}

function Address({ href, children, ...rest }: { href?: string; children?: ReactNode } & OfFootnote) {
  if (!href) return <span>{children}</span>;
  if (ownPlace(href)) return <Own href={href}>{children}</Own>;
  const outward = href.startsWith("#") ? {} : { target: "_blank", rel: "noopener noreferrer", title: href };
  return (
    <InsideLink.Provider value>
      <a href={href} {...outward} {...rest}>
        {children}
      </a>
      <Host href={href} words={wordsOf(children)} />
    </InsideLink.Provider>
  );
}

/** A note, a document or a file opens here; a person is only named. */
function Own({ href, children }: { href: string; children?: ReactNode }) {
  const open = useOpen();
  if (!screenOf(href)) return <span className={styles.mention}>{children}</span>;
  const visit = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(href);
  };
  return (
    <InsideLink.Provider value>
      <a href={`/app${href}`} onClick={visit}>
        {children}
      </a>
    </InsideLink.Provider>
  );
}

/** The host behind a text that doesn't name it. */
function Host({ href, words }: { href: string; words: string }) {
  const { hosts } = useContext(MannerContext);
  const host = hostOf(href);
  if (!hosts || !host || words.includes(host)) return null;
  return <span className={styles.host}> ({host})</span>;
}

function Picture({ src, alt }: { src?: string; alt?: string }) {
  const place = src ? ownPlace(src) : undefined;
  const named = <Named src={src} alt={alt} />;
  return place?.kind === "files" ? <OwnPicture id={place.id} alt={alt} instead={named} /> : named;
}

/** An image of an own file; named while it loads, and if it isn't one. */
function OwnPicture({ id, alt, instead }: { id: string; alt?: string; instead: ReactNode }) {
  const [address, setAddress] = useState<string | null>(null);
  const [tries, setTries] = useState(1);
  useEffect(() => {
    let current = true;
    void pictureOf(id).then((found) => current && setAddress(found));
    return () => void (current = false);
  }, [id, tries]);
  const again = (): void => {
    forgetPicture(id);
    setAddress(null);
    if (tries < MOST_TRIES) setTries(tries + 1);
  };
  return address ? <img className={styles.image} src={address} alt={alt ?? ""} onError={again} /> : instead;
}

/** An address may have ended before the image was loaded. */
const MOST_TRIES = 2;

function Named({ src, alt }: { src?: string; alt?: string }) {
  const words = (
    <>
      <IconPhoto aria-hidden size={15} className={styles.picture} /> {t("markdown.picture", { words: alt || src || "" })}
    </>
  );
  return useContext(InsideLink) ? <span>{words}</span> : <Address href={src}>{words}</Address>;
}

function Item({ className, place, children }: { className?: string; place?: unknown; children?: ReactNode }) {
  const id = useId();
  const task = useMemo(() => (typeof place === "number" ? { place, id } : null), [place, id]);
  return (
    <li className={className} id={task ? id : undefined}>
      <TaskContext.Provider value={task}>{children}</TaskContext.Provider>
    </li>
  );
}

function Tick({ done }: { done: boolean }) {
  const { onTick } = useContext(MannerContext);
  const task = useContext(TaskContext);
  if (onTick && task) {
    return <input type="checkbox" className={styles.tick} checked={done} aria-labelledby={task.id} onChange={() => onTick(task.place)} />;
  }
  const Box = done ? IconSquareCheckFilled : IconSquare;
  return (
    <span role="img" aria-label={done ? t("markdown.done") : t("markdown.open")} className={done ? styles.done : styles.open}>
      <Box aria-hidden size={17} />
    </span>
  );
}
