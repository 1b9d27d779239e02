// The view in which administrators choose the look of the portal.

import type { Branding } from "../../runtime/portal/generated/branding.ts";
import { CheckField, FileField, Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import { say } from "../kit/toasts.tsx";
import { type DocumentPart, DocumentView, saveDocument } from "./administrator-document.tsx";
import { reloadBrand } from "./brand.tsx";
import { t } from "./messages.ts";

/** Maximum size of the logo in bytes; the portal accepts no more. */
const mostLogoBytes = 64 * 1024;

/** The view with the look of the portal. */
export function BrandView() {
  return <DocumentView path="/branding" title={t("nav.look")} text={t("look.text")} part={BrandForm} />;
}

function BrandForm({ found, refresh }: DocumentPart<Branding>) {
  const { id: _, org_id: __, ...branding } = found ?? {};
  const { name, product, accent, accent_dark: dark, side, css, logo = "" } = branding;
  const send = async ({ logo: ___, remove, ...texts }: Values, all: FormData) => {
    const file = all.get("logo");
    const sent = file instanceof File && file.size > 0 ? await readLogo(file) : remove === "true" ? "" : logo;
    const entries = Object.entries({ ...texts, logo: sent }).filter(([, value]) => value.trim() !== "");
    await saveDocument("/branding", found, Object.fromEntries(entries));
    await refresh();
    await reloadBrand();
    say(t("word.saved"));
  };
  return (
    <div class="card">
      <Form id="brand" submit={t("word.save")} keeps send={send}>
        <TextField label={t("word.name")} name="name" value={name ?? ""} hint={t("brand.name")} />
        <TextField label={t("look.below")} name="product" value={product ?? ""} hint={t("brand.product")} />
        <div class="columns">
          <TextField
            label={t("look.day")}
            name="accent"
            value={accent ?? ""}
            hint="#0b6682"
            note={t("look.colourNote")}
          />
          <TextField
            label={t("look.night")}
            name="accent_dark"
            value={dark ?? ""}
            hint="#62c6de"
            note={t("look.colourNote")}
          />
          <TextField
            label={t("look.side")}
            name="side"
            value={side ?? ""}
            hint="#0e2a36"
            note={t("look.sideNote")}
          />
        </div>
        <FileField
          label={t("look.logo")}
          name="logo"
          accept="image/png,image/jpeg,image/webp"
          note={logo === "" ? t("look.logoNote") : t("look.logoThere")}
        />
        {logo !== "" && <CheckField label={t("look.removeLogo")} name="remove" />}
        <LongField label={t("look.css")} name="css" value={css ?? ""} rows={8} />
      </Form>
    </div>
  );
}

/** Returns a file in Base64. */
async function readLogo(file: File): Promise<string> {
  if (file.size > mostLogoBytes) throw new Error(t("look.tooLarge"));
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
