/** Everyone with access, and why. */

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Endless } from "@/ui/endless";
import { PersonLine } from "@/ui/PersonLine";
import { Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import type { Grant, SharingKind } from "./kinds";
import { useReaders } from "./queries";
import { reasonWords } from "./reasons";
import styles from "./Sharing.module.css";

interface Props<Level extends string> {
  kind: SharingKind<Level>;
  id: string;
  visibility?: string;
  grants: readonly Grant<Level>[];
}

export function Readers<Level extends string>({ kind, id, visibility, grants }: Props<Level>) {
  const { me } = useSession();
  const readers = useReaders(kind, id, visibility);
  const teamOf = (team: string): string =>
    grants.find(({ principal_id }) => principal_id === team)?.name ?? (team === me.team.id ? me.team.name : t("sharing.its_team"));
  if (readers.isPending) return <Loading />;
  if (readers.isError && !readers.data) return <Failed error={readers.error} again={() => void readers.refetch()} />;
  return (
    <>
      <ul className={styles.readers} aria-label={t("sharing.who")}>
        {readers.data.map((reader) => (
          <li key={reader.user_id}>
            <PersonLine name={reader.display_name} second={reader.username} mark={reader.user_id === me.user.id && <Tag>{t("ui.you")}</Tag>} />
            <ul>
              {reader.reasons.map((reason, place) => (
                <li key={place}>{reasonWords(reason, kind, teamOf)}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <Endless query={readers} />
    </>
  );
}
