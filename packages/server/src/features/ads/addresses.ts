/** The addresses of the pages of ad systems. */
import type { Config } from '../../config/config.ts'
import type { AdSystemRow } from './store/ad-systems.ts'

/** Without a slash at its end. */
export function adsBase(config: Config): string {
  return config.adsUrl ?? `${config.baseUrl ?? `http://${config.host}:${config.port}`}/ads`
}

/** What a visitor's address has in the place of a system: the name that its owner chose, else its id. */
export function nameInAddress({ url, id }: Pick<AdSystemRow, 'url' | 'id'>): string {
  return url ?? id
}
