/**
 * Colors that a page derives from an author's accent color. Whatever color the author chooses, text has the
 * contrast required by WCAG 2.2 (1.4.3: 4.5 to 1; 1.4.11: 3 to 1 for edges), in light and in dark mode.
 */
import { STYLE } from './assets.ts'

type Rgb = readonly [number, number, number]
type Scheme = 'light' | 'dark'

const TEXT_CONTRAST = 4.5
const EDGE_CONTRAST = 3
/** With less contrast, a filled button looks like an unfilled one. */
const FILL_CONTRAST = 1.2
/**
 * Fills whose contrast is below `FILL_CONTRAST` are shaded to this contrast, because the button would
 * otherwise look disabled.
 */
const CLEAR_CONTRAST = 10
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** The color that text is shaded toward, away from the background. */
const FAR = { light: BLACK, dark: WHITE } as const
/** Fraction of the accent color in the background of a note. */
const TINT = { light: 0.09, dark: 0.16 } as const
const STEPS = 50

/** Returns one style rule to append to the page's style sheet. `accent` is `#rrggbb`. */
export function accentStyle(accent: string): string {
  const [light, dark] = [shadesOf(read(accent), 'light'), shadesOf(read(accent), 'dark')]
  const both = (name: keyof typeof light) => `light-dark(${write(light[name])},${write(dark[name])})`
  return `:root{--accent:${both('text')};--fill:${both('fill')};--on-fill:${both('ink')};--rim:${both('rim')};--tint:${both('tint')}}`
}

export function contrast(one: string, other: string): number {
  return ratio(read(one), read(other))
}

function shadesOf(accent: Rgb, scheme: Scheme) {
  const [page, card] = [backdrop('page', scheme), backdrop('card', scheme)]
  const tint = mixed(card, accent, TINT[scheme])
  const text = shaded(accent, scheme, [page, card, tint], TEXT_CONTRAST)
  const fill = ratio(accent, card) >= FILL_CONTRAST ? accent : shaded(accent, scheme, [card], CLEAR_CONTRAST)
  const rim = ratio(fill, card) >= EDGE_CONTRAST ? fill : text
  return { text, fill, ink: inkOn(fill), rim, tint }
}

/** Returns the nearest shade that has at least this contrast with all of these colors. */
function shaded(color: Rgb, scheme: Scheme, backdrops: readonly Rgb[], least: number): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const shade = mixed(color, FAR[scheme], step / STEPS)
    if (backdrops.every((one) => ratio(shade, one) >= least)) return shade
  }
  return FAR[scheme]
}

/** Black or white always has enough contrast. */
function inkOn(fill: Rgb): Rgb {
  return ratio(WHITE, fill) >= TEXT_CONTRAST ? WHITE : BLACK
}

/** Reads a color from the style sheet, which declares `--card: light-dark(#ffffff, #1b2028)`. */
function backdrop(name: 'page' | 'card', scheme: Scheme): Rgb {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(STYLE) ?? []
  const color = scheme === 'light' ? light : dark
  if (color === undefined) throw new Error(`page.css has no pair of colors named --${name}`)
  return read(color)
}

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  const [r, g, b] = one.map((value, index) => Math.round(value + ((other[index] ?? 0) - value) * share))
  return [r ?? 0, g ?? 0, b ?? 0]
}

/** Implements "contrast ratio" and "relative luminance" of WCAG 2.2. */
function ratio(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function read(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function write(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
