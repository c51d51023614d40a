import type { V1AccountGetResponses } from '@scriptward/sdk'

export type OwnAccount = V1AccountGetResponses[200]['customer']
