/** Content in an author's accent color is readable, whatever color they choose. */
import { describe, expect, it } from 'vitest'
import { accentStyle, contrast } from './accent.ts'

/** Samples from the entire color cube, and colors that authors typically choose. */
const STEPS = ['00', '33', '66', '99', 'cc', 'ff']
const COLORS = [
  ...STEPS.flatMap((r) => STEPS.flatMap((g) => STEPS.map((b) => `#${r}${g}${b}`))),
  ...['#767676', '#777777', '#ffeb3b', '#1f5fd0', '#1b2028', '#7f7f7f'],
]
const BACKDROPS = { light: ['#f4f6f9', '#ffffff'], dark: ['#12151a', '#1b2028'] } as const

describe("a page in an author's color", () => {
  it.each(['light', 'dark'] as const)('is readable, and its buttons are recognizable, in %s', (scheme) => {
    for (const color of COLORS) {
      const { text, fill, ink, rim, tint } = shades(color, scheme)
      for (const backdrop of [...BACKDROPS[scheme], tint])
        expect([color, contrast(text, backdrop) >= 4.5]).toEqual([color, true])
      expect([color, contrast(fill, BACKDROPS[scheme][1]) >= 1.2]).toEqual([color, true])
      expect([color, contrast(ink, fill) >= 4.5]).toEqual([color, true])
      expect([color, contrast(rim, BACKDROPS[scheme][1]) >= 3]).toEqual([color, true])
    }
  })

  it('uses the exact color if it is readable', () => {
    expect(shades('#1f5fd0', 'light')).toMatchObject({ text: '#1f5fd0', fill: '#1f5fd0', rim: '#1f5fd0' })
    expect(shades('#ffeb3b', 'dark')).toMatchObject({ text: '#ffeb3b', fill: '#ffeb3b', ink: '#000000' })
  })
})

function shades(color: string, scheme: 'light' | 'dark') {
  const style = accentStyle(color)
  const pair = (name: string) => {
    const [, light = '', dark = ''] =
      new RegExp(`--${name}:light-dark\\((#\\w{6}),(#\\w{6})\\)`).exec(style) ?? []
    return scheme === 'light' ? light : dark
  }
  return {
    text: pair('accent'),
    rim: pair('rim'),
    tint: pair('tint'),
    fill: pair('fill'),
    ink: pair('on-fill'),
  }
}
