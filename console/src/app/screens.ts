/** Every screen and action, in the order of the rail and of the settings menu. */

import { accountActions, accountScreens } from "@/features/account/screens";
import { auditScreens } from "@/features/audit/screens";
import { companyBrandingScreens, instanceBrandingScreens } from "@/features/branding/screens";
import { chatActions, chatScreens } from "@/features/chat/screens";
import { companyActions, companyScreens, companyUpkeepScreens } from "@/features/company/screens";
import { connectActions, connectScreens } from "@/features/connect/screens";
import { documentActions, documentScreens } from "@/features/documents/screens";
import { companyExecutorScreens, executorActions, instanceExecutorScreens } from "@/features/executors/screens";
import { featureScreens } from "@/features/features/screens";
import { glossaryScreens } from "@/features/glossary/screens";
import { homeScreens } from "@/features/home/screens";
import { instanceActions, instanceScreens, metricsScreens } from "@/features/instance/screens";
import { jobActions, jobScreens } from "@/features/jobs/screens";
import { knowledgeActions, knowledgeScreens } from "@/features/knowledge/screens";
import { companyLinksScreens, teamLinksScreens } from "@/features/links/screens";
import { localizationScreens } from "@/features/localization/screens";
import { memberActions, memberScreens } from "@/features/members/screens";
import { modelScreens } from "@/features/models/screens";
import { noteActions, noteScreens } from "@/features/notes/screens";
import { pluginScreens } from "@/features/plugins/screens";
import { fileKeys } from "@/features/repository/listKeys";
import { fileActions, fileScreens } from "@/features/repository/screens";
import { searchActions, searchScreens } from "@/features/search/screens";
import { signUpScreens } from "@/features/signup/screens";
import { tokenActions, tokenScreens } from "@/features/tokens/screens";
import { toolScreens } from "@/features/tools/screens";
import { translateScreens } from "@/features/translate/screens";
import { trashScreens } from "@/features/trash/screens";
import { usageActions, usageScreens } from "@/features/usage/screens";
import { workflowActions, workflowScreens } from "@/features/workflows/screens";
import type { Action, LocalKeys, Screen } from "@/navigation/tables";

import { frameActions } from "./actions";
import { settingsScreens } from "./settings/screens";

export const SCREENS: readonly Screen[] = [
  ...homeScreens,
  ...searchScreens,
  ...noteScreens,
  ...documentScreens,
  ...fileScreens,
  ...chatScreens,
  ...translateScreens,
  ...workflowScreens,
  ...knowledgeScreens,
  ...trashScreens,
  ...settingsScreens,
  ...memberScreens,
  ...usageScreens,
  ...connectScreens,
  ...tokenScreens,
  ...toolScreens,
  ...featureScreens,
  ...modelScreens,
  ...glossaryScreens,
  ...teamLinksScreens,
  ...auditScreens,
  ...jobScreens,
  ...companyScreens,
  ...companyBrandingScreens,
  ...companyExecutorScreens,
  ...signUpScreens,
  ...companyLinksScreens,
  ...companyUpkeepScreens,
  ...instanceScreens,
  ...instanceBrandingScreens,
  ...localizationScreens,
  ...instanceExecutorScreens,
  ...pluginScreens,
  ...metricsScreens,
  ...accountScreens,
];

export const ACTIONS: readonly Action[] = [
  ...searchActions,
  ...noteActions,
  ...documentActions,
  ...fileActions,
  ...chatActions,
  ...workflowActions,
  ...knowledgeActions,
  ...jobActions,
  ...memberActions,
  ...usageActions,
  ...connectActions,
  ...tokenActions,
  ...accountActions,
  ...companyActions,
  ...instanceActions,
  ...executorActions,
  ...frameActions,
];

export const LOCAL_KEYS: readonly LocalKeys[] = fileKeys;
