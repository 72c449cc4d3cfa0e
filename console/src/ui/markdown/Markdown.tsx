/**
 * Renders Markdown safely: no HTML, no images from other hosts, and links only where
 * the target is visible.
 */

import "@fontsource-variable/inter/wght-italic.css";

import { IconPhoto, IconSquare, IconSquareCheckFilled } from "@tabler/icons-react";
import { createContext, memo, useContext, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { t } from "@/i18n";

import styles from "./Markdown.module.css";
import { safeAddress } from "./addresses";
import { ranks } from "./ranks";

const InsideLink = createContext(false);

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
  pre: ({ children }) => (
    <pre role="region" aria-label={t("markdown.code")} tabIndex={0}>
      {children}
    </pre>
  ),
  /* eslint-enable jsx-a11y/no-noninteractive-tabindex */
};

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={styles.text}>
      <ReactMarkdown
        skipHtml
        remarkPlugins={[remarkGfm, ranks]}
        remarkRehypeOptions={{ footnoteLabel: t("markdown.footnotes"), footnoteBackLabel: t("markdown.footnote.back") }}
        urlTransform={safeAddress}
        components={COMPONENTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});

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
    </InsideLink.Provider>
  );
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
