/** Accepts drops anywhere in the window, and shows where they go. */

import { useWindowEvent } from "@mantine/hooks";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";

import { t } from "@/i18n";

import styles from "./DropArea.module.css";
import { dropped } from "./entries";
import { useUploadedAs } from "./uploadedAs";
import { upload } from "./uploads";

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

export function DropArea({ folder }: { folder: string }) {
  const [over, setOver] = useState(false);
  const [visibility] = useUploadedAs();
  // Nested elements fire dragenter before the previous element's dragleave.
  const depth = useRef(0);
  const move = (step: number) => (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    depth.current = Math.max(0, depth.current + step);
    setOver(depth.current > 0);
  };
  useWindowEvent("dragenter", move(1));
  useWindowEvent("dragleave", move(-1));
  useWindowEvent("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  useWindowEvent("drop", (event) => {
    if (!holdsFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    void dropped(event.dataTransfer).then((found) => found.length > 0 && upload(found, folder, visibility));
  });
  if (!over) return null;
  return (
    <div className={styles.area} aria-hidden>
      <p>
        <IconUpload size={22} /> {folder ? t("files.drop.into", { folder }) : t("files.drop")}
      </p>
    </div>
  );
}
