/** Who signed up with the team: the numbers, and a list to decide on by keys alone if you like. */

import { Button } from "@mantine/core";
import { IconDownload, IconPencil } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { t, wallTime } from "@/i18n";
import { useSession } from "@/session";
import { noticeFault } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { saveFile } from "@/ui/saveFile";

import { fetchCsv } from "../api";
import { useNumbers } from "../queries";
import { queryOf, usePlace, type Place } from "./address";
import { FilterBar } from "./FilterBar";
import { Numbers } from "./Numbers";
import styles from "./Prospects.module.css";
import { Triage } from "./Triage";

export default function ProspectsScreen() {
  const { me } = useSession();
  const [place, setPlace] = usePlace();
  const numbers = useNumbers();
  return (
    <div className={styles.screen} data-open={place.id !== undefined}>
      <Page title={t("prospects.title")} intro={t("prospects.intro", { team: me.team.name })} actions={<Actions place={place} />}>
        <div className={styles.above}>
          {numbers.data && <Numbers days={numbers.data} />}
          <FilterBar place={place} onChange={setPlace} />
          <p className={styles.keys}>
            <kbd>J</kbd> <kbd>K</kbd> {t("prospects.keys.step")} <kbd>A</kbd> {t("prospects.keys.accept")} <kbd>D</kbd> {t("prospects.keys.decline")}
          </p>
        </div>
        <Triage place={place} onPlace={setPlace} />
      </Page>
    </div>
  );
}

function Actions({ place }: { place: Place }) {
  return (
    <>
      <Export place={place} />
      <Button variant="default" leftSection={<IconPencil aria-hidden size={16} />} renderRoot={(props) => <Link {...props} to="/settings/company/sign-up/page" />}>
        {t("prospects.edit_page")}
      </Button>
    </>
  );
}

function Export({ place }: { place: Place }) {
  const taking = useMutation({
    mutationFn: () => fetchCsv(queryOf(place)),
    onSuccess: (lines) => saveFile(`prospects-${wallTime(Date.now()).slice(0, 10)}.csv`, lines),
    onError: noticeFault,
  });
  return (
    <Button variant="default" loading={taking.isPending} leftSection={<IconDownload aria-hidden size={16} />} onClick={() => taking.mutate()}>
      {t("prospects.export")}
    </Button>
  );
}
