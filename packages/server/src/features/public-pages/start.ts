/** Serves `/` and `/run/:id`. In a browser, the URLs of loaders and hubs redirect to `/run/:id`. */

import type { Page } from '../../api/page.ts'
import { Refused } from '../../api/refusals.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import { clientUrls } from '../executions/endpoints/addresses.ts'
import { findLoader } from '../executions/loaders.ts'
import { findHub } from '../hub/hub.ts'
import { assetsPage } from './assets.ts'
import { renderHome, renderRun } from './start-pages.ts'

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
  path: '/run/:id',
  base: '/',
  async handle({ params, origin, ...frame }, deps) {
    const { id = '' } = params
    const isHub = id.startsWith('prj_')
    const { address } = origin
    const missing = await (isHub
      ? findHub(deps, { projectId: id, address })
      : findLoader(deps, { scriptId: id, address }))
    if (missing instanceof Refused) {
      const problem = missing.reason === 'not_found' ? 'not_found' : 'too_many'
      return { status: missing.status, text: renderProblem(frame, problem) }
    }
    const [url] = clientUrls(deps.config, origin.headers)
    return { status: 200, text: renderRun({ ...frame, address: `${url}/${isHub ? 'hub' : 'loader'}/${id}` }) }
  },
}

export const startPages: readonly Page[] = [home, run, assetsPage('/')]
