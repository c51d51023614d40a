/** URLs of ad system pages. */
import type { Config } from '../../config/config.ts'
import type { AdSystemRow } from './store/ad-systems.ts'

/** Base URL of the ad pages, without a trailing slash. */
export function adsBase(config: Config): string {
  return config.adsUrl ?? `${config.baseUrl ?? `http://${config.host}:${config.port}`}/ads`
}

/** Returns the URL segment that identifies a system: the name that its owner chose, or else its ID. */
export function nameInAddress({ url, id }: Pick<AdSystemRow, 'url' | 'id'>): string {
  return url ?? id
}
