// Converts a tree of Instances, as printed by preview/instances.lua, to a description of HTML: one positioned
// element per object. Tests write the description as a document, and the dashboard creates the elements.

type Numbers = readonly number[]
export type Instance = {
  readonly class: string
  readonly properties: Readonly<Record<string, string | number | boolean | Numbers>>
  readonly children: readonly Instance[]
}

/** CSS properties in camel case. */
export type Style = Readonly<Record<string, string>>
/** An element with its text or image, and its child elements. */
export type Picture = {
  readonly class: string
  readonly style: Style
  /** `style` applies to a box. The box contains the text as one element with `TEXT_STYLE`. */
  readonly text?: { readonly words: string; readonly style: Style }
  /** A `data:` URL, or the URL of an asset that only the game can show. */
  readonly image?: string
  readonly inside: readonly Picture[]
}

export const TEXT_STYLE: Style = { overflow: 'hidden', textOverflow: 'ellipsis' }
export const IMAGE_STYLE: Style = {
  width: '100%',
  height: '100%',
  objectFit: 'contain',
  borderRadius: 'inherit',
}

const TEXTS: ReadonlySet<string> = new Set(['TextLabel', 'TextButton', 'TextBox'])
/** The platform defines text size as the height of a line, which is 1.2 times the font size. */
const LINE = 1.2

/** Returns the visible objects of a ScreenGui. */
export function picturesOf({ children }: Pick<Instance, 'children'>): readonly Picture[] {
  return children.filter(({ properties }) => properties.Visible === true).map(pictureOf)
}

function pictureOf({ class: kind, properties, children }: Instance): Picture {
  const own = children.filter((child) => child.properties.Visible === undefined)
  return {
    class: kind,
    style: Object.assign(box(properties), ...own.map(decoration)),
    ...(TEXTS.has(kind) && { text: textOf(kind, properties) }),
    ...(kind === 'ImageLabel' && { image: String(properties.Image) }),
    inside: picturesOf({ children }),
  }
}

function box({ Position, Size, AnchorPoint, ZIndex, ...rest }: Instance['properties']): Style {
  const [px, pox, py, poy] = numbers(Position)
  const [sx, sox, sy, soy] = numbers(Size)
  const [ax = 0, ay = 0] = numbers(AnchorPoint)
  const length = (scale = 0, offset = 0) => `calc(${scale * 100}% + ${offset}px)`
  return {
    position: 'absolute',
    boxSizing: 'border-box',
    left: length(px, pox),
    top: length(py, poy),
    width: length(sx, sox),
    height: length(sy, soy),
    translate: `${-ax * 100}% ${-ay * 100}%`,
    transformOrigin: `${ax * 100}% ${ay * 100}%`,
    zIndex: String(ZIndex),
    background: color(rest.BackgroundColor3, 1 - Number(rest.BackgroundTransparency)),
  }
}

function decoration({ class: kind, properties }: Instance): Style {
  if (kind === 'UICorner') return { borderRadius: `${numbers(properties.CornerRadius)[1]}px` }
  if (kind === 'UIScale') return { transform: `scale(${properties.Scale})` }
  if (kind === 'UIStroke') return { boxShadow: `0 0 0 ${properties.Thickness}px ${color(properties.Color)}` }
  throw new Error(`no picture of ${kind}`)
}

function textOf(kind: string, properties: Instance['properties']): NonNullable<Picture['text']> {
  const { Text, PlaceholderText, PlaceholderColor3, TextColor3, TextXAlignment, TextYAlignment } = properties
  const isPlaceholder = Text === '' && kind === 'TextBox'
  const size = Number(properties.TextSize)
  const style = {
    ...{ position: 'absolute', inset: '0', margin: '0', display: 'flex' },
    color: color(isPlaceholder ? PlaceholderColor3 : TextColor3),
    fontSize: `${size / LINE}px`,
    lineHeight: `${size * Number(properties.LineHeight)}px`,
    fontWeight: properties.Font === 'GothamBold' ? '600' : '400',
    justifyContent: TextXAlignment === 'Left' ? 'start' : 'center',
    alignItems: TextYAlignment === 'Top' ? 'start' : 'center',
    whiteSpace: properties.TextWrapped ? 'pre-wrap' : 'nowrap',
    overflowWrap: properties.TextWrapped ? 'anywhere' : 'normal',
  }
  return { words: String(isPlaceholder ? PlaceholderText : Text), style }
}

function numbers(value: unknown): Numbers {
  return Array.isArray(value) ? (value as Numbers) : []
}

function color(value: unknown, opacity = 1): string {
  const [r = 0, g = 0, b = 0] = numbers(value).map((share) => Math.round(share * 255))
  return `rgb(${r} ${g} ${b} / ${opacity})`
}
