/**
 * Renders Markdown safely: no HTML, no images from other hosts, and links only where
 * the target is visible.
 */

import "@fontsource-variable/inter/wght-italic.css";

import { IconPhoto, IconSquare, IconSquareCheckFilled } from "@tabler/icons-react";
import { createContext, memo, useContext, useMemo, type ComponentProps, type ReactElement, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";

import { t } from "@/i18n";

import styles from "./Markdown.module.css";
import { hostOf, safeAddress } from "./addresses";
import { Code } from "./Code";
import { Formula } from "./Formula";
import { withFormulas } from "./formulas";
import { numbered } from "./numbered";
import { ranks } from "./ranks";

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
}

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

export const Markdown = memo(function Markdown({ text, marks, hosts = false, rehype }: Props) {
  const manner = useMemo(() => ({ marks, hosts }), [marks, hosts]);
  return (
    <div className={styles.text} dir="auto">
      <MannerContext.Provider value={manner}>
        <ReactMarkdown
          skipHtml
          remarkPlugins={[remarkGfm, [...MATHS], ranks, [numbered, marks?.numbers]]}
          rehypePlugins={rehype}
          remarkRehypeOptions={{ footnoteLabel: t("markdown.footnotes"), footnoteBackLabel: t("markdown.footnote.back") }}
          urlTransform={safeAddress}
          components={COMPONENTS}
        >
          {withFormulas(text)}
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

/** The host behind a text that doesn't name it. */
function Host({ href, words }: { href: string; words: string }) {
  const { hosts } = useContext(MannerContext);
  const host = hostOf(href);
  if (!hosts || !host || words.includes(host)) return null;
  return <span className={styles.host}> ({host})</span>;
}

function Picture({ src, alt }: { src?: string; alt?: string }) {
  const words = (
    <>
      <IconPhoto aria-hidden size={15} className={styles.picture} /> {t("markdown.picture", { words: alt || src || "" })}
    </>
  );
  return useContext(InsideLink) ? <span>{words}</span> : <Address href={src}>{words}</Address>;
}

function Tick({ done }: { done: boolean }) {
  const Box = done ? IconSquareCheckFilled : IconSquare;
  return (
    <span role="img" aria-label={done ? t("markdown.done") : t("markdown.open")} className={done ? styles.done : styles.open}>
      <Box aria-hidden size={17} />
    </span>
  );
}
