/** The signed-in person, with a menu. */

import { Suspense } from "react";

import { useSession } from "@/session";
import { initials } from "@/ui/initials";
import { useLate } from "@/ui/late/useLate";
import { lazily } from "@/ui/lazily";

import styles from "./AccountMenu.module.css";
import { RailButton } from "./RailButton";

const load = () => import("./AccountItems");
const AccountItems = lazily(load);

export function AccountMenu() {
  const { me } = useSession();
  const { button, wanted, late } = useLate(load, "menu");
  return (
    <>
      <RailButton {...button}>
        <span className={styles.face} aria-hidden>
          {initials(me.user.display_name)}
        </span>
        <span className={styles.name}>{me.user.display_name}</span>
      </RailButton>
      {wanted && (
        <Suspense>
          <AccountItems late={late} />
        </Suspense>
      )}
    </>
  );
}
