/** Icons of actions. */

import { IconCopy, IconDownload, IconFolderSymlink, IconPencil, IconShare2, IconTrash, type Icon } from "@tabler/icons-react";

import type { Deed } from "../actions";

const PICTURES: Record<Deed, Icon> = {
  download: IconDownload, rename: IconPencil, move: IconFolderSymlink, copy: IconCopy, share: IconShare2, delete: IconTrash,
};

export const pictureOf = (deed: Deed): Icon => PICTURES[deed];
