/** The public links of the company. */

import { LinksScreen } from "./LinksScreen";

export default function CompanyLinks() {
  return <LinksScreen scope="company" />;
}
