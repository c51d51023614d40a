/** The branding of a project's pages: its color, logo and links. */
import { accentStyle } from './accent.ts'
import { PAGE_POLICY, policyWith } from './assets.ts'
import { html, Markup, type Piece } from './html.ts'
import type { Language } from './language.ts'
import { say } from './words.ts'

export type Brand = {
  /** A color such as `#1f5fd0`, or null for the default color. */
  readonly accent: string | null
  readonly logo: { readonly address: string; readonly width: number; readonly height: number } | null
  readonly links: readonly { readonly title: string; readonly url: string }[]
}

/** Returns the style to append to the style sheet that all pages share. */
export function styleOf(brand: Brand | undefined): Piece {
  return brand?.accent ? new Markup(`<style>${accentStyle(brand.accent)}</style>`) : undefined
}

/** Returns the policy that allows only the page style with this accent. */
export function policyOf(accent: string | null | undefined): string {
  return accent ? policyWith(accentStyle(accent)) : PAGE_POLICY
}

/**
 * Returns the page's owner, for the line above the heading. The name is next to the logo, so the logo needs
 * no alternative text.
 */
export function ownerOf(brand: Brand | undefined, name: string | undefined): Piece {
  const logo = brand?.logo
  if (!logo) return name !== undefined && html`<p class="above">${name}</p>`
  return html`<p class="above with-logo"><img src="${logo.address}" alt="" width="${logo.width}" height="${logo.height}">${name !== undefined && html`<span>${name}</span>`}</p>`
}

export function linksOf(brand: Brand | undefined, language: Language): Piece {
  if (!brand || brand.links.length === 0) return undefined
  const links = brand.links.map(
    ({ title, url }) => html`<li><a href="${url}" rel="noopener noreferrer">${title}</a></li>`,
  )
  return html`<nav class="links" aria-label="${say(language, 'links')}"><ul>${links}</ul></nav>`
}
