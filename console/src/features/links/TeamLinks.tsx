/** The public links of the team. */

import { LinksScreen } from "./LinksScreen";

export default function TeamLinks() {
  return <LinksScreen scope="team" />;
}
