/** What colleagues did with what you can read, newest first. */

import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useNames } from "@/ui/names";
import { Face } from "@/ui/PersonLine";
import { Time } from "@/ui/Time";

import { addressOf, wordsOf } from "./activity";
import styles from "./Activity.module.css";
import { More, Part } from "./Part";
import { useActivity, useShared } from "./queries";

export function Activity() {
  const activity = useActivity();
  const names = useNames();
  // What stands under "Shared with you" needs no second line.
  const isListed = new Set(useShared().items.map(({ id }) => id));
  // The rest of the page says what is wrong, if the server can't be reached.
  if (!activity.data) return null;
  const done = activity.data.pages.flatMap((page) => page.items);
  // The server looks at some of the log at a time: what can be read may come later.
  if (done.length === 0 && !activity.hasNextPage) return <Quiet />;
  const items = done.filter(({ verb, id }) => verb !== "shared" || !isListed.has(id));
  if (items.length === 0 && !activity.hasNextPage) return null;
  return (
    <Part title={t("home.activity")}>
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={`${item.verb} ${item.kind} ${item.id} ${item.actor} ${item.at}`}>
            <Link to={addressOf(item)} className={styles.line}>
              <Face name={names.of(item.actor)} />
              <span className={styles.words}>
                <b>{item.title || t("writing.untitled")}</b>
                <span className="muted">{wordsOf(item, names.of(item.actor))}</span>
              </span>
              <Time at={item.at} />
            </Link>
          </li>
        ))}
      </ul>
      <More pages={activity} />
    </Part>
  );
}

/** Nobody else did anything: a team of one, or a new one. */
function Quiet() {
  const { can } = useSession();
  const mayInvite = can("members:manage");
  return (
    <Part title={t("home.activity")}>
      <div className={styles.quiet}>
        <p className="muted">{t(mayInvite ? "home.activity.none.invite" : "home.activity.none")}</p>
        {mayInvite && (
          <Button variant="default" size="xs" renderRoot={(props) => <Link {...props} to="/settings/team/people" />}>
            {t("home.check.invite")}
          </Button>
        )}
      </div>
    </Part>
  );
}
