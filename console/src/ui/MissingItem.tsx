/** An item that couldn't be loaded. One that doesn't exist and one that others keep to themselves look the same. */

import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Failed } from "@/ui/states";

interface Props {
  error: unknown;
  again: () => void;
  /** The list that it belongs to, and the list's name. */
  list: string;
  title: string;
}

export function MissingItem({ error, again, list, title }: Props) {
  const isMissing = error instanceof Refusal && error.status === 404;
  return (
    <Failed
      error={error}
      again={isMissing ? undefined : again}
      missing={t("state.missing.words")}
      actions={
        <>
          <Button renderRoot={(props) => <Link {...props} to={list} />}>{t("state.missing.list", { list: title })}</Button>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/" />}>
            {t("state.nowhere.home")}
          </Button>
        </>
      }
    />
  );
}
