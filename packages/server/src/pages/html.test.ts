/** External text never becomes markup. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeText, html } from './html.ts'

/**
 * Generates any string, including lone surrogates. fast-check's equivalent generator takes seconds to load
 * its tables.
 */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff })))
  .map((points) => String.fromCodePoint(...points))

describe('a template', () => {
  it('escapes inserted values, in text and in attributes', () => {
    const hostile = `<script>alert(1)</script>" onload='x' &amp;`
    const { text } = html`<p title="${hostile}">${hostile}</p>`
    const safe = '&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; &amp;amp;'
    expect(text).toBe(`<p title="${safe}">${safe}</p>`)
  })

  it('writes non-ASCII characters of every script as numeric references', () => {
    expect(html`${'Grüße 😀 “x”'}`.text).toBe('Gr&#252;&#223;e &#128512; &#8220;x&#8221;')
  })

  it('keeps values that are templates unchanged, alone and in lists', () => {
    const item = (name: string) => html`<li>${name}</li>`
    expect(html`<ul>${['a', '<b>'].map(item)}</ul>`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>')
  })

  it('writes nothing for a missing value, and 0 for 0', () => {
    expect(html`[${undefined}${null}${false}${0}${''}]`.text).toBe('[0]')
  })

  it('does not accept an object that only looks like markup', () => {
    const forged = JSON.parse('{"text":"<b>"}')
    expect(html`${forged}`.text).toBe('[object Object]')
  })

  it('keeps every string inside its attribute or its element', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeText(text)
        expect(escaped).not.toMatch(/[<>"']|[^\0-\x7f]/)
        expect(escaped.replace(/&(amp|lt|gt|quot|#\d+);/g, '')).not.toContain('&')
      }),
    )
  })
})
