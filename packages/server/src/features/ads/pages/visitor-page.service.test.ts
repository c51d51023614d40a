/** The pages that visitors to ad systems see: every view in every language, without injection. */
import { describe, expect, it } from 'vitest'
import { sampleViews } from '../../../../test/pages/visitor-samples.ts'
import { LANGUAGES } from '../../../pages/language.ts'
import { renderVisitorPage } from './visitor-page.ts'

const HOSTILE = `"><script>alert('x')</script><img src=x onerror=alert(1)>`

describe.each(LANGUAGES)('the ad pages in %s', (language) => {
  const views = Object.entries(sampleViews(language, 'Garden'))

  it.each(views)('show their complete text: %s', (_, view) => {
    const page = renderVisitorPage(view)
    expect(page).toContain(`<html lang="${language}">`)
    expect(page).toMatch(/<h1>[^<]+<\/h1>/)
    expect(page).not.toMatch(/undefined|null|NaN|\[object|\{\w+\}</)
  })

  it('stay small, including their assets', () => {
    for (const [, view] of views) expect(Buffer.byteLength(renderVisitorPage(view))).toBeLessThan(25 * 1024)
  })

  it.each(Object.entries(sampleViews(language, HOSTILE)))(
    'never interpret a name as markup: %s',
    (_, view) => {
      const page = renderVisitorPage(view)
      expect(page).not.toContain('<script>')
      expect(page).not.toContain('<img')
      expect(page.match(/<script/g)).toHaveLength(1)
    },
  )
})

describe('an ad page', () => {
  const views = sampleViews('en', 'Garden')
  const pageOf = (name: string) => renderVisitorPage(views[name] ?? (views.landing as never))

  it('shows the steps and the next one, and links there without JavaScript', () => {
    const page = pageOf('step')
    expect(page).toContain('Step 2 of 3')
    expect(page).toMatch(/<li class="current" aria-current="step">.*Garden 2/)
    expect(page).toContain('<a class="button main" href="go/attempt">')
  })

  it('sends every form with all its fields', () => {
    expect(pageOf('landing')).toContain('<form method="post" action="garden/start" class="action">')
    expect(pageOf('landing')).toContain('<input type="hidden" name="csrf" value="token">')
  })

  it("passes the captcha to the page's script, and shows a message without JavaScript", () => {
    expect(pageOf('landing to extend')).toMatch(/<form [^>]*data-challenge="abc" data-bits="18"/)
    expect(pageOf('landing to extend')).toMatch(/<noscript>.*JavaScript/)
    expect(pageOf('landing')).not.toContain('needs JavaScript')
  })

  it('links to the verifier first, and to the start after verification', () => {
    expect(pageOf('landing with a verifier')).toContain('href="https://verifier.example.com/"')
    expect(pageOf('landing with a verifier')).not.toContain('action="garden/start"')
    expect(pageOf('landing verified')).toContain('action="garden/start"')
  })

  it('keeps the device ticket when another language is chosen', () => {
    expect(pageOf('landing')).toContain('<a href="?again=1&amp;d=Garden&amp;lang=de" lang="de"')
    expect(pageOf('step')).toContain('<a href="?lang=de" lang="de"')
  })

  it('shows when the visitor may try again', () => {
    expect(pageOf('refused for a while')).toContain('data-seconds-left="3600"')
    expect(pageOf('key extended')).toMatch(/<button class="" id="later" disabled>/)
  })

  it('reloads without JavaScript while it waits', () => {
    expect(pageOf('waiting')).toContain('<noscript><meta http-equiv="refresh" content="4"></noscript>')
    expect(pageOf('waiting')).toContain('data-poll="../state"')
    expect(pageOf('step')).not.toContain('http-equiv')
  })

  it('shows the key and the loader code for each script', () => {
    const page = pageOf('key')
    expect(page).toContain('<code id="key" class="large">aZ4kQ9xW2mB7rT1yP6cV8nL3sD5fG0hJ</code>')
    expect(page).toContain('script_key = &quot;aZ4kQ9xW2mB7rT1yP6cV8nL3sD5fG0hJ&quot;')
  })
})
