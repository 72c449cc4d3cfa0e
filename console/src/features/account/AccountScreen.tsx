/** The user's account: profile, password, two-factor authentication and sessions. */

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";

import { Password } from "./Password";
import { Profile } from "./Profile";
import { SecondFactor } from "./SecondFactor";
import { Sessions } from "./Sessions";

export default function AccountScreen() {
  const { me } = useSession();
  return (
    <Page title={t("account.title")} intro={t("account.intro", { username: me.user.username })}>
      <Section title={t("account.profile")} intro={t("account.profile.intro")}>
        <Profile />
      </Section>
      <Section title={t("account.password")} intro={t("account.password.intro")}>
        <Password />
      </Section>
      <Section title={t("account.factor")} intro={t("account.factor.intro")}>
        <SecondFactor />
      </Section>
      <Section title={t("account.sessions")} intro={t("account.sessions.intro")}>
        <Sessions />
      </Section>
    </Page>
  );
}
