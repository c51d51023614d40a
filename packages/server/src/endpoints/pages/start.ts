/** `/`, and `/run/:script_id`, to which the URL of a loader leads browsers. */
import { findLoader } from '../../domain/executions/loaders.ts'
import { Refused } from '../../domain/refusals.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import { renderHome, renderRun } from '../../pages/start-pages.ts'
import { clientUrls } from '../client/addresses.ts'
import type { Page } from '../page.ts'
import { assetsPage } from './assets.ts'

const home: Page = {
  name: 'start.home',
  method: 'GET',
  path: '/',
  base: '/',
  isPublic: true,
  handle: async (frame) => ({ status: 200, text: renderHome(frame) }),
}

const run: Page = {
  name: 'start.run',
  method: 'GET',
  path: '/run/:script_id',
  base: '/',
  async handle({ params, origin, ...frame }, deps) {
    const { script_id: scriptId = '' } = params
    const missing = await findLoader(deps, { scriptId, address: origin.address })
    if (missing instanceof Refused) {
      const problem = missing.reason === 'not_found' ? 'not_found' : 'too_many'
      return { status: missing.status, text: renderProblem(frame, problem) }
    }
    const [url] = clientUrls(deps.config, origin.headers)
    return { status: 200, text: renderRun({ ...frame, address: `${url}/loader/${scriptId}` }) }
  },
}

export const startPages: readonly Page[] = [home, run, assetsPage('/')]
