/** Pictures and fonts of the page: uploaded, chosen, deleted. They are public at once. */

import { Button, NativeSelect } from "@mantine/core";
import { IconTrash, IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Fault } from "@/ui/forms";
import { capacity } from "@/ui/quantities";

import { deleteAsset, uploadAsset, type Asset } from "../api";
import { ASSETS } from "../keys";
import { useAssets } from "../queries";
import { ASSET_TOKENS, type AssetToken } from "./document";
import styles from "./Editor.module.css";
import type { Editing } from "./useEditing";

const LARGEST = 2 * 1024 * 1024;
const ACCEPTED = ".png,.jpg,.jpeg,.webp,.gif,.woff2,.woff,.ttf,.otf";

const isPicture = ({ content_type: type }: Asset): boolean => type.startsWith("image/");

export function Assets({ editing }: { editing: Editing }) {
  const client = useQueryClient();
  const assets = useAssets();
  const chooser = useRef<HTMLInputElement>(null);
  const [large, setLarge] = useState("");
  const [deleting, setDeleting] = useState<Asset | null>(null);
  const upload = useMutation({
    mutationFn: async (file: File) => uploadAsset(file.name, await asBase64(file)),
    onSuccess: () => client.invalidateQueries({ queryKey: ASSETS }),
  });
  const { theme } = editing.edited;
  const choose = (token: AssetToken, id: string): void =>
    editing.change((before) => ({ ...before, theme: id ? { ...before.theme, [token]: id } : Object.fromEntries(Object.entries(before.theme).filter(([name]) => name !== token)) }));

  function take(file: File | undefined): void {
    setLarge(file && file.size > LARGEST ? t("funnel.asset.large", { name: file.name, limit: capacity(LARGEST) }) : "");
    if (file && file.size <= LARGEST) upload.mutate(file);
  }

  return (
    <div className={styles.assets}>
      <h3>{t("funnel.assets")}</h3>
      <div className={styles.three}>
        {ASSET_TOKENS.map((token) => (
          <NativeSelect
            key={token}
            label={t(`funnel.asset.${token}`)}
            value={typeof theme[token] === "string" ? theme[token] : ""}
            error={editing.errorAt(`/theme/${token}`)}
            data={[
              { value: "", label: t("funnel.asset.none") },
              ...(assets.data ?? []).filter((asset) => isPicture(asset) === (token !== "font_file")).map((asset) => ({ value: asset.id, label: asset.filename })),
            ]}
            onChange={(event) => choose(token, event.currentTarget.value)}
          />
        ))}
      </div>
      <ul className={styles.files} aria-label={t("funnel.assets")}>
        {(assets.data ?? []).map((asset) => (
          <li key={asset.id}>
            {isPicture(asset) ? <img src={asset.url} alt="" loading="lazy" /> : <span className={styles.letter} aria-hidden>{"Aa"}</span>}
            <span className={styles.file}>{asset.filename}</span>
            <span className="muted">{capacity(asset.size)}</span>
            <Button variant="subtle" color="danger" size="compact-sm" leftSection={<IconTrash aria-hidden size={14} />} aria-label={t("funnel.asset.delete", { name: asset.filename })} onClick={() => setDeleting(asset)}>
              {t("prospects.delete")}
            </Button>
          </li>
        ))}
      </ul>
      <Fault fault={upload.error ?? assets.error} />
      {large && <p role="alert">{large}</p>}
      <Button variant="default" size="xs" loading={upload.isPending} leftSection={<IconUpload aria-hidden size={15} />} onClick={() => chooser.current?.click()}>
        {t("funnel.asset.upload")}
      </Button>
      <p className="muted">{t("funnel.asset.words", { limit: capacity(LARGEST) })}</p>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={ACCEPTED}
        aria-label={t("funnel.asset.upload")}
        onChange={(event) => {
          take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      {deleting && (
        <ConfirmDialog
          title={t("funnel.asset.delete", { name: deleting.filename })}
          confirm={t("prospects.delete")}
          perform={async () => {
            await deleteAsset(deleting.id);
            for (const token of ASSET_TOKENS) if (theme[token] === deleting.id) choose(token, "");
            await client.invalidateQueries({ queryKey: ASSETS });
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{t("funnel.asset.delete.words")}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function asBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
    reader.readAsDataURL(file);
  });
}
