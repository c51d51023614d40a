import {
  type AdminCustomersListResponse,
  type AdminPeopleListResponse,
  type AdminTiersListResponse,
  adminCustomersList,
  adminPeopleList,
  adminSystemGet,
  adminTiersList,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../components/table/use-list.ts'
import { useCall } from '../../queries/api.ts'

export type Customer = AdminCustomersListResponse['customers'][number]
export type ListedPerson = AdminPeopleListResponse['people'][number]
export type Tier = AdminTiersListResponse['tiers'][number]

/** Date used for accounts that do not expire: the last day of the year 9999. */
const NO_END = Date.UTC(9999, 11, 31)
export const NEVER = 253_402_300_799_999
const AT_ONCE = 100

export const isEndless = ({ plan_expires }: Customer) => plan_expires >= NO_END

export function useCustomers() {
  const call = useCall()
  return useList(['operators', 'customers'], async (after) => {
    const query = { limit: AT_ONCE, ...(after && { after }) }
    const { customers, total, next } = (await adminCustomersList({ ...call, query })).data
    return { rows: customers, total, next }
  })
}

export function usePeople() {
  const call = useCall()
  return useList(['operators', 'people'], async (after) => {
    const query = { limit: AT_ONCE, ...(after && { after }) }
    const { people, total, next } = (await adminPeopleList({ ...call, query })).data
    return { rows: people, total, next }
  })
}

export function useTiers() {
  const call = useCall()
  return useQuery({
    queryKey: ['operators', 'tiers'],
    queryFn: async () => (await adminTiersList(call)).data.tiers,
  })
}

/** This request counts as ten requests toward the rate limit. */
const SYSTEM_MS = 15_000

export function useSystem() {
  const call = useCall()
  return useQuery({
    queryKey: ['operators', 'system'],
    queryFn: async () => (await adminSystemGet(call)).data,
    refetchInterval: SYSTEM_MS,
  })
}
