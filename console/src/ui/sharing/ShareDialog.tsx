/** Share dialog: access level, current shares, a form to add one, public links, and who has access and why. */

import { Button, Collapse } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { Failed, Loading } from "@/ui/states";
import type { Visibility } from "@/ui/writing/text";

import { AddTarget } from "./AddTarget";
import { Grants } from "./Grants";
import { PublicLinks } from "./links/PublicLinks";
import { useLinks } from "./links/queries";
import { useGrants, useShare } from "./queries";
import { Readers } from "./Readers";
import styles from "./ShareDialog.module.css";
import { PrivateButShared, WhoSees } from "./WhoSees";

interface Props {
  /** ID of the repository object. */
  id: string;
  title: string;
  visibility: Visibility;
  onVisibility: (visibility: Visibility) => void;
  onClose: () => void;
}

export function ShareDialog({ id, title, visibility, onVisibility, onClose }: Props) {
  const grants = useGrants(id);
  const share = useShare(id);
  return (
    <Dialog title={t("sharing.title", { title })} wide onClose={onClose}>
      {grants.isPending && <Loading />}
      {grants.isError && <Failed error={grants.error} again={() => void grants.refetch()} />}
      {grants.data && (
        <>
          <WhoSees visibility={visibility} onChange={onVisibility} />
          <AddTarget grants={grants.data} share={share} />
          <Fault fault={share.error} />
          <Grants grants={grants.data} share={share} />
          {visibility === "private" && grants.data.some(({ expired }) => !expired) && <PrivateButShared onChange={onVisibility} />}
          <PublicLinks id={id} />
          <Who id={id} visibility={visibility} grants={grants.data} />
        </>
      )}
    </Dialog>
  );
}

function Who({ id, visibility, grants }: { id: string; visibility: Visibility; grants: NonNullable<ReturnType<typeof useGrants>["data"]> }) {
  const [open, setOpen] = useState(false);
  const list = useId();
  const published = useLinks(id).data?.filter((link) => link.works).length ?? 0;
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <div className={styles.who}>
      <Button variant="subtle" color="gray" className={styles.ask} leftSection={<Arrow aria-hidden size={16} />} aria-expanded={open} aria-controls={list} onClick={() => setOpen(!open)}>
        {t("sharing.who")}
      </Button>
      <Collapse expanded={open} id={list}>
        {open && published > 0 && <p className={styles.none}>{t("sharing.link.who", { count: published })}</p>}
        {open && <Readers id={id} visibility={visibility} grants={grants} />}
      </Collapse>
    </div>
  );
}
