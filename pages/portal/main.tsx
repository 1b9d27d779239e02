// The page at `/portal/`: administrators enter a token, developers log in.

import { effect } from "@preact/signals";
import { commands } from "../kit/palette.tsx";
import { Lost } from "../kit/parts.tsx";
import { linkTo, route } from "../kit/router.ts";
import { type NavigationGroup, type NavigationItem, Shell, start } from "../kit/shell.tsx";
import { attempt, orSay } from "../kit/toasts.tsx";
import { AccountDoor, AccountView, isAccountView, readAbilities } from "./accounts.tsx";
import { BrandView } from "./administrator-brand.tsx";
import { AdministratorCatalogue, ConfigurationView } from "./administrator-catalogue.tsx";
import { DevelopersView, PoliciesView } from "./administrator-records.tsx";
import { AdministratorRequests, waitingRequests } from "./administrator-requests.tsx";
import { TextsView } from "./administrator-texts.tsx";
import { AppsView } from "./apps.tsx";
import { loadBrand, PortalBrand } from "./brand.tsx";
import { CatalogueView, KeysView, OwnRequestsView } from "./developer-views.tsx";
import { DocumentationView } from "./documentation.tsx";
import { Door } from "./door.tsx";
import { leave, person, resumeSession } from "./interface.ts";
import { adoptLanguage, LanguageSwitch, loadLanguage } from "./language.tsx";
import { MailsView } from "./mails.tsx";
import { t } from "./messages.ts";
import { TextView, textGroups } from "./texts.tsx";

const ofDevelopers = (): readonly NavigationItem[] => [
  { text: t("word.catalogue"), view: "", icon: "book", also: ["docs"] },
  { text: t("nav.requests"), view: "requests", icon: "inbox" },
  { text: t("nav.keys"), view: "keys", icon: "key" },
  { text: t("nav.apps"), view: "apps", icon: "apps" },
  { text: t("nav.account"), view: "account", icon: "people" },
];
const ofAdministrators = (): readonly NavigationItem[] => [
  { text: t("word.requests"), view: "", icon: "inbox" },
  { text: t("word.developers"), view: "developers", icon: "people" },
  { text: t("word.policies"), view: "policies", icon: "shield" },
  { text: t("word.catalogue"), view: "catalogue", icon: "book" },
  { text: t("word.mails"), view: "mails", icon: "page" },
  { text: t("word.pages"), view: "pages", icon: "list" },
  { text: t("nav.look"), view: "look", icon: "overview" },
  { text: t("nav.configuration"), view: "configuration", icon: "gear" },
];

effect(() => {
  const items =
    person.value === undefined ? [] : person.value.kind === "developer" ? ofDevelopers() : ofAdministrators();
  commands.value =
    items.length === 0
      ? []
      : [
          ...items.map(({ text, view }) => ({ text, kind: t("palette.view"), run: linkTo(view) })),
          { text: t("nav.logOut"), kind: t("palette.action"), run: leave },
        ];
});

function groupsOf(kind: "developer" | "administrator"): readonly NavigationGroup[] {
  const items =
    kind === "developer"
      ? ofDevelopers()
      : ofAdministrators().map((item) =>
          item.view === "" ? { ...item, count: waitingRequests.value } : item,
        );
  return [{ title: "", items }, ...(kind === "developer" ? textGroups() : [])];
}

function DeveloperPage() {
  const [view = "", name = ""] = route.value;
  if (view === "requests") return <OwnRequestsView />;
  if (view === "keys") return <KeysView />;
  if (view === "apps") return <AppsView />;
  if (view === "account") return <AccountView />;
  if (view === "text") return <TextView slug={name} />;
  if (view === "docs") return <DocumentationView key={name} policy={name} />;
  return view === "" ? <CatalogueView /> : <Lost />;
}

function AdministratorPage() {
  const [view = ""] = route.value;
  if (view === "developers") return <DevelopersView />;
  if (view === "policies") return <PoliciesView />;
  if (view === "catalogue") return <AdministratorCatalogue />;
  if (view === "mails") return <MailsView />;
  if (view === "pages") return <TextsView />;
  if (view === "look") return <BrandView />;
  if (view === "configuration") return <ConfigurationView />;
  return view === "" ? <AdministratorRequests /> : <Lost />;
}

function Page() {
  const who = person.value;
  const [view = "", token = ""] = route.value;
  // A link in an e-mail counts also with a session.
  if (isAccountView(view) && (who === undefined || token !== ""))
    return <AccountDoor key={view} view={view} token={token} />;
  if (who === undefined) return <Door />;
  return (
    <Shell
      brand={<PortalBrand />}
      groups={groupsOf(who.kind)}
      foot={
        <>
          <LanguageSwitch />
          <span id="who">{who.kind === "developer" ? who.name : t("nav.administrator")}</span>
          <button id="leave" type="button" class="small" onClick={() => attempt(leave)}>
            {t("nav.logOut")}
          </button>
        </>
      }
    >
      {who.kind === "developer" ? <DeveloperPage /> : <AdministratorPage />}
    </Shell>
  );
}

/** Without its words a page is of no use: that they could not be loaded is said in what the browser has. */
start(<Page />, await loadLanguage(document.documentElement.lang));
void attempt(() => Promise.all([resumeSession(), readAbilities()]));
void orSay(loadBrand);
effect(() => {
  if (person.value?.kind === "developer") void orSay(adoptLanguage);
});
