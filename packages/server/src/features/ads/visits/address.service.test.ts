/** The ad pages on a dedicated host, over real HTTP. */
import { type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { createSystem, sceneOn } from '../../../../test/ads/scene.ts'
import { sqlite } from '../../../../test/databases.ts'

const scene = sceneOn(sqlite, { adsUrl: 'https://ads.example.com', baseUrl: 'https://example.com' })

async function ask(path: string, host: string): Promise<{ readonly status: number; readonly text: string }> {
  const url = new URL(path, scene().server.url)
  const asked = request(url, { headers: { host } }).end()
  const [response] = (await new Promise((resolve, reject) => {
    asked.once('response', (...given) => resolve(given)).once('error', reject)
  })) as [IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  return { status: response.statusCode ?? 0, text }
}

it('a dedicated host serves the ad pages at its root, and no other host does', async () => {
  const system = await createSystem(scene(), ['a'])
  const page = await ask(`/${system.id}`, 'ads.example.com')
  expect(page.status).toBe(200)
  expect(page.text).toContain(`action="${system.id}/start"`)
  const [, script = ''] = /script defer src="([^"]+)"/.exec(page.text) ?? []
  expect((await ask(`/${script}`, 'ads.example.com')).status).toBe(200)
  expect((await ask(`/${system.id}`, 'example.com')).status).toBe(404)
  expect(system.checkpoints[0]?.callback_url.startsWith('https://ads.example.com/verify/')).toBe(true)
})
