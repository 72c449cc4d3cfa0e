/** Says that the server can't be reached, for as long as it can't, above whatever is shown. */

import { Loader } from "@mantine/core";

import { t } from "@/i18n";
import { useServerLost } from "@/net/reachability";

import styles from "./ConnectionBar.module.css";

/** `lost` shows the bar whatever the last check said. */
export function ConnectionBar({ lost = false }: { lost?: boolean }) {
  const shown = useServerLost() || lost;
  return (
    <div role="status" className={styles.bar} data-shown={shown || undefined}>
      {shown && (
        <>
          <Loader size={14} color="currentColor" aria-hidden />
          {t("state.unreachable")}
        </>
      )}
    </div>
  );
}
