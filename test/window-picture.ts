/** Renders a tree of Instances, as instances.lua prints it, to HTML: one positioned element per object. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

type Numbers = readonly number[]
export type Instance = {
  readonly class: string
  readonly properties: Readonly<Record<string, string | number | boolean | Numbers>>
  readonly children: readonly Instance[]
}

const FONT = createRequire(import.meta.url).resolve(
  '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
)
const TEXTS: ReadonlySet<string> = new Set(['TextLabel', 'TextButton', 'TextBox'])
/** The platform measures a text by the height of its line; its typeface is 1.2 times as high as wide. */
const LINE = 1.2

/** The objects of a ScreenGui as the body of such a page. */
export function renderBody(gui: Instance): string {
  return gui.children.map(renderObject).join('')
}

/** A page with the given background that shows the objects of a ScreenGui. */
export function renderTree(gui: Instance, background = 'linear-gradient(160deg,#7db4dd,#6f9a5a)'): string {
  const font = readFileSync(FONT).toString('base64')
  return `<!doctype html><meta charset="utf-8"><style>
@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${font})}
*{box-sizing:border-box;margin:0}
body{height:100vh;overflow:hidden;background:${background};font-family:Inter}
div{position:absolute}
span{overflow:hidden;text-overflow:ellipsis}
</style><body>${renderBody(gui)}</body>`
}

function renderObject({ class: kind, properties, children }: Instance): string {
  if (properties.Visible !== true) return ''
  const own = children.filter((child) => child.properties.Visible === undefined)
  const inside = children.filter((child) => child.properties.Visible !== undefined)
  const style = [...box(properties), ...own.flatMap(decoration)].join(';')
  const text = TEXTS.has(kind) ? renderText(kind, properties) : ''
  const image =
    kind === 'ImageLabel'
      ? `<img src="${escaped(properties.Image)}" style="width:100%;height:100%;object-fit:contain;border-radius:inherit">`
      : ''
  return `<div data-class="${kind}" style="${style}">${text}${image}${inside.map(renderObject).join('')}</div>`
}

function box({ Position, Size, AnchorPoint, ZIndex, ...rest }: Instance['properties']): string[] {
  const [px, pox, py, poy] = numbers(Position)
  const [sx, sox, sy, soy] = numbers(Size)
  const [ax = 0, ay = 0] = numbers(AnchorPoint)
  const length = (scale = 0, offset = 0) => `calc(${scale * 100}% + ${offset}px)`
  const opacity = 1 - Number(rest.BackgroundTransparency)
  return [
    `left:${length(px, pox)};top:${length(py, poy)};width:${length(sx, sox)};height:${length(sy, soy)}`,
    `translate:${-ax * 100}% ${-ay * 100}%;transform-origin:${ax * 100}% ${ay * 100}%;z-index:${ZIndex}`,
    `background:${color(rest.BackgroundColor3, opacity)}`,
  ]
}

function decoration({ class: kind, properties }: Instance): string[] {
  if (kind === 'UICorner') return [`border-radius:${numbers(properties.CornerRadius)[1]}px`]
  if (kind === 'UIScale') return [`transform:scale(${properties.Scale})`]
  if (kind === 'UIStroke') return [`box-shadow:0 0 0 ${properties.Thickness}px ${color(properties.Color)}`]
  throw new Error(`no picture of ${kind}`)
}

function renderText(kind: string, properties: Instance['properties']): string {
  const { Text, PlaceholderText, PlaceholderColor3, TextColor3, TextXAlignment, TextYAlignment } = properties
  const isPlaceholder = Text === '' && kind === 'TextBox'
  const size = Number(properties.TextSize)
  const style = [
    `position:absolute;inset:0;display:flex;color:${color(isPlaceholder ? PlaceholderColor3 : TextColor3)}`,
    `font-size:${size / LINE}px;line-height:${size * Number(properties.LineHeight)}px`,
    `font-weight:${properties.Font === 'GothamBold' ? 600 : 400}`,
    `justify-content:${TextXAlignment === 'Left' ? 'start' : 'center'}`,
    `align-items:${TextYAlignment === 'Top' ? 'start' : 'center'}`,
    `white-space:${properties.TextWrapped ? 'pre-wrap;overflow-wrap:anywhere' : 'nowrap'}`,
  ]
  return `<p style="${style.join(';')}"><span>${escaped(isPlaceholder ? PlaceholderText : Text)}</span></p>`
}

function numbers(value: unknown): Numbers {
  return Array.isArray(value) ? (value as Numbers) : []
}

function color(value: unknown, opacity = 1): string {
  const [r = 0, g = 0, b = 0] = numbers(value).map((share) => Math.round(share * 255))
  return `rgb(${r} ${g} ${b} / ${opacity})`
}

function escaped(value: unknown): string {
  return String(value).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Elements that leave the screen, texts that do not fit their box, and buttons that are too small for a finger. */
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
