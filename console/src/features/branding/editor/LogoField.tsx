/** Logo: drop or choose a file, checked before upload. */

import { Button, Input } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState, type DragEvent } from "react";

import { t } from "@/i18n";

import styles from "./LogoField.module.css";

const TYPES = ["image/png", "image/jpeg", "image/webp"];
const LARGEST = 512 * 1024;

interface Props {
  logo: string | null;
  title: string;
  plane: "company" | "instance";
  disabled: boolean;
  refusal: string | undefined;
  onLogo: (logo: string | null) => void;
}

export function LogoField({ logo, title, plane, disabled, refusal, onLogo }: Props) {
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    const wrong = faultOf(file);
    setFault(wrong);
    if (!wrong) onLogo(await asUri(file));
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (!disabled) void take(event.dataTransfer.files[0]);
  }

  return (
    <Input.Wrapper
      component="div"
      label={t("branding.logo")}
      labelElement="div"
      description={t(`branding.logo.words.${plane}`)}
      error={fault ?? refusal}
    >
      <div
        className={styles.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {logo ? (
          <img className={styles.logo} src={logo} alt={t("branding.logo.of", { title })} />
        ) : (
          <IconUpload className={styles.none} aria-hidden size={24} stroke={1.5} />
        )}
        {!disabled && (
          <div className={styles.words}>
            <div className={styles.actions}>
              <Button variant="default" size="xs" onClick={() => chooser.current?.click()}>
                {logo ? t("branding.logo.replace") : t("branding.logo.choose")}
              </Button>
              {logo && (
                <Button variant="subtle" color="danger" size="xs" onClick={() => onLogo(null)}>
                  {t("branding.logo.remove")}
                </Button>
              )}
            </div>
            <span className="muted">{t("branding.logo.hint")}</span>
          </div>
        )}
        <input
          ref={chooser}
          type="file"
          hidden
          accept={TYPES.join(",")}
          aria-label={t("branding.logo.choose")}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
    </Input.Wrapper>
  );
}

function faultOf(file: File): string | null {
  if (!TYPES.includes(file.type)) return t("branding.logo.type");
  if (file.size > LARGEST) return t("branding.logo.large", { size: Math.ceil(file.size / 1024) });
  return null;
}

function asUri(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
    reader.readAsDataURL(file);
  });
}
