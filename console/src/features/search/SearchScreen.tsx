/** All results, best first; without a query, search tips. */

import { Switch, TextInput } from "@mantine/core";
import { IconSearch, IconSearchOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import list from "@/ui/panes/PaneList.module.css";
import { Segments } from "@/ui/Segments";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";
import { useCommand } from "@/ui/commands";
import { useAddressText } from "@/ui/useAddressText";

import { kindOf, placeOf, TYPES, useAddress, useRefine, type Address, type Type } from "./address";
import { PICTURES } from "./kinds";
import { Marked } from "./Marked";
import { LONGEST, useFound, type Found } from "./queries";
import styles from "./Search.module.css";

const PAUSE = 250;

export default function SearchScreen() {
  const { me } = useSession();
  const address = useAddress();
  const refine = useRefine();
  return (
    <Page title={t("search.title")}>
      <search className={styles.head}>
        <Question q={address.q ?? ""} />
        <div className={styles.bar}>
          <Segments<Type | "all">
            aria-label={t("search.types")}
            value={address.type ?? "all"}
            onChange={(type) => refine({ type: type === "all" ? undefined : type })}
            data={(["all", ...TYPES] as const).map((value) => ({ value, label: t(`search.type.${value}`) }))}
          />
          {me.permissions.includes("org:read") && (
            <Switch
              size="sm"
              label={t("search.company")}
              checked={address.scope === "org"}
              onChange={(event) => refine({ scope: event.currentTarget.checked ? "org" : undefined })}
            />
          )}
        </div>
      </search>
      {address.q ? <Results address={address} /> : <HowTo />}
    </Page>
  );
}

function Question({ q }: { q: string }) {
  const refine = useRefine();
  const input = useRef<HTMLInputElement>(null);
  const [typed, type] = useAddressText(q, (words) => refine({ q: words }), PAUSE);
  useCommand("search", () => {
    input.current?.focus();
    input.current?.select();
    return true;
  });
  return (
    <TextInput
      ref={input}
      type="search"
      size="md"
      autoFocus={q === ""}
      aria-label={t("search.question")}
      placeholder={t("search.placeholder")}
      leftSection={<IconSearch aria-hidden size={17} />}
      maxLength={LONGEST}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

function Results({ address }: { address: Address }) {
  const found = useFound(address);
  if (found.isPending) return <Loading />;
  if (found.isError && !found.data) return <Failed error={found.error} again={() => void found.refetch()} />;
  const things = found.data.filter(placeOf);
  return (
    <>
      <p className="sr-only" role="status">
        {t("search.count", { count: things.length })}
      </p>
      {things.length === 0 && !found.hasNextPage && (
        <Empty title={t("search.none", { query: address.q ?? "" })} icon={IconSearchOff}>
          {t("search.none.words")}
        </Empty>
      )}
      <ol className={list.list} aria-label={t("search.results")}>
        {things.map((thing) => (
          <Result key={`${thing.type} ${thing.id}`} thing={thing} />
        ))}
      </ol>
      <Endless query={found} />
    </>
  );
}

function Result({ thing }: { thing: Found }) {
  const kind = kindOf(thing);
  const Picture = PICTURES[kind];
  const place = placeOf(thing);
  if (!place) return null;
  return (
    <li>
      <Link to={place} params={{ id: thing.id }} className={styles.result}>
        <Picture aria-hidden size={19} stroke={1.6} />
        <span className={styles.lines}>
          <b>{thing.title}</b>
          <span className={styles.snippet}>
            <Marked snippet={thing.snippet} />
          </span>
          <span className={list.meta}>
            {t(`search.one.${kind}`)}
            <Time at={thing.updated_at} />
          </span>
        </span>
      </Link>
    </li>
  );
}

function HowTo() {
  return (
    <Empty title={t("search.how")} icon={IconSearch}>
      <ul className={styles.how}>
        <li>{t("search.how.words")}</li>
        <li>{t("search.how.begin")}</li>
        <li>{t("search.how.quotes")}</li>
        <li>
          <kbd>/</kbd> {t("search.how.key")}
        </li>
      </ul>
    </Empty>
  );
}
