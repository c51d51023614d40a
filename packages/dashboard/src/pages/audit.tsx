/** To be written. */
import { UnknownPage } from './trouble.tsx'

export const AuditPage = UnknownPage
