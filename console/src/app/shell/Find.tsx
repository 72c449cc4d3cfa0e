/** The search box with the palette beside it; without the right to search, the palette alone. */

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconCommand, IconSearch } from "@tabler/icons-react";

import { SearchBox } from "@/features/search/SearchBox";
import { t } from "@/i18n";
import { useSession } from "@/session";

import { openPalette } from "../Palette";
import styles from "./Find.module.css";

export function Find() {
  const { can } = useSession();
  return can("search") ? <Search /> : <PaletteButton />;
}

function Search() {
  const label = `${t("shell.jump")} (${t("shell.palette.keys")})`;
  return (
    <div className={styles.search}>
      <SearchBox />
      <Tooltip label={label} openDelay={300}>
        <ActionIcon variant="default" size={36} className={styles.jump} aria-label={label} onClick={openPalette}>
          <IconCommand aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function PaletteButton() {
  return (
    <Button
      variant="default"
      justify="space-between"
      fullWidth
      leftSection={<IconSearch aria-hidden size={15} />}
      rightSection={<kbd>{t("shell.palette.keys")}</kbd>}
      className={styles.palette}
      onClick={openPalette}
    >
      {t("shell.palette")}
    </Button>
  );
}
