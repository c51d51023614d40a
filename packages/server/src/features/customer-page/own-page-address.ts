/** URL of the page where customers see their key. */
import type { Config } from '../../config/config.ts'

/** The URL contains the project, because another project may have the same key. */
export function ownPageAddress(config: Config, projectId: string): string {
  return `${config.baseUrl ?? `http://${config.host}:${config.port}`}/me?project=${projectId}`
}
