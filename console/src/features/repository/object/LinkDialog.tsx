/** Creates a public link with an expiry, to copy. */

import { Alert, Button, CopyButton, Input, TextInput } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { Segments } from "@/ui/Segments";

import { useLink } from "../queries";

const LIVES = { quarter: 900, day: 86_400, week: 604_800 } as const;
type Life = keyof typeof LIVES;

interface Props {
  id: string;
  name: string;
  /** Null is the latest version at the time the link is opened. */
  version: number | null;
  onClose: () => void;
}

export function LinkDialog({ id, name, version, onClose }: Props) {
  const [life, setLife] = useState<Life>("quarter");
  const link = useLink(id, version, LIVES[life]);
  const unkeyed = link.error instanceof Refusal && link.error.status === 409;
  return (
    <Dialog title={t("files.signed")} onClose={onClose}>
      {unkeyed ? (
        <Unkeyed />
      ) : (
        <>
          <p className="muted">{t("files.signed.words", { name })}</p>
          <Input.Wrapper label={t("files.signed.life")} labelElement="div">
            <Segments
              fullWidth
              aria-label={t("files.signed.life")}
              data={(Object.keys(LIVES) as Life[]).map((value) => ({ value, label: t(`files.signed.life.${value}`) }))}
              value={life}
              onChange={setLife}
            />
          </Input.Wrapper>
          <TextInput readOnly label={t("files.signed.link")} value={link.data?.url ?? ""} onFocus={(event) => event.currentTarget.select()} />
          <Fault fault={link.error} />
          <DialogActions>
            <Copy url={link.data?.url} />
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function Copy({ url }: { url?: string }) {
  return (
    <CopyButton value={url ?? ""}>
      {({ copied, copy }) => (
        <Button
          disabled={!url}
          leftSection={copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />}
          onClick={copy}
        >
          {copied ? t("action.copied") : t("files.signed.copy")}
        </Button>
      )}
    </CopyButton>
  );
}

function Unkeyed() {
  return (
    <>
      <Alert color="warning" title={t("files.signed.unkeyed")}>
        {t("files.signed.unkeyed.words")}
      </Alert>
      <DialogActions>
        <Button renderRoot={(props) => <Link {...props} to="/settings/team/connect" />}>{t("files.signed.unkeyed.do")}</Button>
      </DialogActions>
    </>
  );
}
