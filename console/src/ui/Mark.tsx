/** The brand's logo, or its first letter. */

import { useBrand } from "@/theme/brand";

import styles from "./Mark.module.css";

export function Mark() {
  const brand = useBrand();
  if (brand.logo) return <img className={styles.mark} src={brand.logo} alt="" />;
  return (
    <span className={styles.letter} aria-hidden>
      {brand.title.slice(0, 1).toUpperCase()}
    </span>
  );
}
