//! Addresses. An IPv4 address is the number of its bits, an IPv6 address those of its bits as a
//! signed number; the choice between the two is a result: `Ok` is the older.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use gainsay_wire::Value;

use super::{Plain, items};
use crate::Gen;

/// Unspecified, loopback, private, link-local, documentation, multicast, broadcast.
const V4: &[u32] = &[
    0x0000_0000,
    0x7f00_0001,
    0x0a00_0001,
    0xac10_0001,
    0xc0a8_0001,
    0xc0a8_00ff,
    0xa9fe_0001,
    0xc000_0201,
    0x6440_0001,
    0xe000_0001,
    0x0808_0808,
    0xffff_ffff,
];

/// Unspecified, loopback, mapped, unique local, link-local, documentation, multicast, all ones.
const V6: &[u128] = &[
    0,
    1,
    0x0000_0000_0000_0000_0000_ffff_c0a8_0001,
    0x0064_ff9b_0000_0000_0000_0000_0808_0808,
    0xfc00_0000_0000_0000_0000_0000_0000_0001,
    0xfe80_0000_0000_0000_0000_0000_0000_0001,
    0x2001_0db8_0000_0000_0000_0000_0000_0001,
    0xff02_0000_0000_0000_0000_0000_0000_0001,
    u128::MAX,
];

impl Plain for Ipv4Addr {
    fn generate(source: &mut Gen<'_>) -> Value {
        match source.random().pick(V4) {
            Some(bits) if source.random().below(4) > 0 => Value::Int(i128::from(*bits)),
            _ => u32::generate(source),
        }
    }
    fn make(value: &Value) -> Self {
        Ipv4Addr::from(u32::make(value))
    }
}

impl Plain for Ipv6Addr {
    fn generate(source: &mut Gen<'_>) -> Value {
        match source.random().pick(V6) {
            Some(bits) if source.random().below(4) > 0 => Value::Int(bits.cast_signed()),
            _ => i128::generate(source),
        }
    }
    fn make(value: &Value) -> Self {
        Ipv6Addr::from(i128::make(value).cast_unsigned())
    }
}

macro_rules! plain_either {
    ($($ty:ident = $old:ident or $new:ident;)*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                <Result<$old, $new>>::generate(source)
            }
            fn make(value: &Value) -> Self {
                match <Result<$old, $new>>::make(value) {
                    Ok(old) => $ty::V4(old),
                    Err(new) => $ty::V6(new),
                }
            }
        }
    )*};
}
plain_either! {
    IpAddr = Ipv4Addr or Ipv6Addr;
    SocketAddr = SocketAddrV4 or SocketAddrV6;
}

impl Plain for SocketAddrV4 {
    fn generate(source: &mut Gen<'_>) -> Value {
        <(Ipv4Addr, u16)>::generate(source)
    }
    fn make(value: &Value) -> Self {
        let (ip, port) = <(Ipv4Addr, u16)>::make(value);
        SocketAddrV4::new(ip, port)
    }
}

impl Plain for SocketAddrV6 {
    fn generate(source: &mut Gen<'_>) -> Value {
        let plain = <(Ipv6Addr, u16)>::generate(source);
        let mut parts = items(&plain).to_vec();
        let numbers = if source.random().one_in(4) {
            [u32::generate(source), u32::generate(source)]
        } else {
            [Value::Int(0), Value::Int(0)]
        };
        parts.extend(numbers);
        Value::Tuple(parts)
    }
    fn make(value: &Value) -> Self {
        let (ip, port, flow, scope) = <(Ipv6Addr, u16, u32, u32)>::make(value);
        SocketAddrV6::new(ip, port, flow, scope)
    }
}
