/** Accepts drops anywhere in the window, and shows where they go: into the folder under the pointer, or the open one. */

import { useWindowEvent } from "@mantine/hooks";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";

import { t } from "@/i18n";

import styles from "./DropArea.module.css";
import { dropped } from "./entries";
import { useUploadedAs } from "./uploadedAs";
import { upload } from "./uploads";

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/** Elements that stand for a folder have its key. */
const folderAt = ({ target }: Event): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>("[data-into]")?.dataset.into : undefined;

export function DropArea({ folder }: { folder: string }) {
  const [over, setOver] = useState(false);
  const [under, setUnder] = useState<string>();
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
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setUnder(folderAt(event));
  });
  useWindowEvent("drop", (event) => {
    if (!holdsFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    const into = folderAt(event) ?? folder;
    void dropped(event.dataTransfer).then((found) => found.length > 0 && upload(found, into, visibility));
  });
  if (!over) return null;
  const into = under ?? folder;
  const main = document.querySelector("main")?.getBoundingClientRect();
  return (
    <div className={styles.area} style={main && { left: main.left, width: main.width }} aria-hidden>
      <p>
        <IconUpload size={22} /> {into ? t("files.drop.into", { folder: into.slice(0, -1) }) : t("files.drop")}
      </p>
    </div>
  );
}
