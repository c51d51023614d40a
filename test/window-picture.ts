/** Renders a tree of Instances as HTML, and finds elements that do not fit. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  IMAGE_STYLE,
  type Instance,
  type Picture,
  picturesOf,
  type Style,
  TEXT_STYLE,
} from '../packages/client/src/window-picture.ts'

const FONT = createRequire(import.meta.url).resolve(
  '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
)

/** Renders the objects of a ScreenGui as the body of a page. */
export function renderBody(gui: Instance): string {
  return picturesOf(gui).map(render).join('')
}

/** Renders a page with the given background and the objects of a ScreenGui. */
export function renderTree(gui: Instance, background = 'linear-gradient(160deg,#7db4dd,#6f9a5a)'): string {
  const font = readFileSync(FONT).toString('base64')
  return `<!doctype html><meta charset="utf-8"><style>
@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${font})}
body{margin:0;height:100vh;overflow:hidden;background:${background};font-family:Inter}
</style><body>${renderBody(gui)}</body>`
}

function render({ class: kind, style, text, image, inside }: Picture): string {
  const words = text && `<p ${css(text.style)}><span ${css(TEXT_STYLE)}>${escaped(text.words)}</span></p>`
  const shown = image === undefined ? '' : `<img src="${escaped(image)}" ${css(IMAGE_STYLE)}>`
  return `<div data-class="${kind}" ${css(style)}>${words ?? ''}${shown}${inside.map(render).join('')}</div>`
}

function css(style: Style): string {
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const rules = Object.entries(style).map(([name, value]) => `${kebab(name)}:${value}`)
  return `style="${rules.join(';')}"`
}

function escaped(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Finds elements outside of the screen, text that overflows its box, and buttons that are too small to tap.
 */
export const MISFITS = `[...document.querySelectorAll('[data-class=Frame],[data-class^=Text]')].flatMap((one) => {
  const { left, top, right, bottom, width, height } = one.getBoundingClientRect()
  const text = one.querySelector(':scope > p > span')
  const isOutside = one.textContent && (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
  const isCut = text && one.dataset.class !== 'TextBox' && text.scrollWidth > text.clientWidth
  const isLow = text && text.scrollHeight > one.clientHeight + 1
  const isSmall = one.dataset.class === 'TextButton' && (width < 44 || height < 44)
  const found = { isOutside, isCut, isLow, isSmall }
  return Object.keys(found).filter((name) => found[name]).map((name) => name + ': ' + one.textContent)
})`
