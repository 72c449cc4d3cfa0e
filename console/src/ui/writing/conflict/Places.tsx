/** Conflicting passages: for each, keep mine, theirs or both. */

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";

import type { Choice, Piece } from "../merge";
import styles from "./ConflictDialog.module.css";
import { Version } from "./SideBySide";

interface Props {
  places: (Piece & { kind: "both" })[];
  choices: Choice[];
  disabled: boolean;
  onChoose: (place: number, choice: Choice) => void;
}

const CHOICES: readonly Choice[] = ["mine", "theirs", "both"];

export function Places({ places, choices, disabled, onChoose }: Props) {
  return (
    <ol className={styles.places}>
      {places.map((piece, place) => {
        const name = t("writing.conflict.place", { place: place + 1 });
        return (
          <li key={place} className={styles.place}>
            <div className={styles.question}>
              {name}
              <Segments<Choice>
                aria-label={name}
                disabled={disabled}
                value={choices[place] ?? "both"}
                onChange={(choice) => onChoose(place, choice)}
                data={CHOICES.map((choice) => ({ value: choice, label: t(`writing.conflict.choice.${choice}`) }))}
              />
            </div>
            <div className={styles.versions}>
              <Stretch side="mine" lines={piece.mine} />
              <Stretch side="theirs" lines={piece.theirs} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Stretch({ side, lines }: { side: "mine" | "theirs"; lines: string[] }) {
  return (
    <div className={styles[side]}>
      {lines.length === 0 && <p className={styles.fold}>{t("writing.conflict.removed")}</p>}
      {lines.map((line, index) => (
        <Version key={index} side={side} line={line} />
      ))}
    </div>
  );
}
