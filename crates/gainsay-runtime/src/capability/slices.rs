//! How a type is shown that is a slice behind a pointer, beside the slice, and one that is a text,
//! beside the text.

use std::{any::Any, fmt::Debug, ops::Deref};

use super::{Can, known};

/// As `{:?}` and as `{:#?}`.
pub type Shown = [String; 2];
/// How an object is shown, and how its slice is.
pub type ShownFn = fn(&dyn Any) -> (Shown, Shown);

fn shown<T: Debug + ?Sized>(value: &T) -> Shown {
    [format!("{value:?}"), format!("{value:#?}")]
}

/// The type is a slice behind a pointer.
pub trait CanShowSlice {
    /// How both are shown.
    fn shown_of(&self) -> Option<ShownFn>;
}
impl<T: Deref<Target = [U]> + Debug + 'static, U: Debug> CanShowSlice for Can<T> {
    fn shown_of(&self) -> Option<ShownFn> {
        Some(|x| (shown(known::<T>(x)), shown::<[U]>(known::<T>(x))))
    }
}
/// It is not.
pub trait NoShowSlice {
    /// Not at all.
    fn shown_of(&self) -> Option<ShownFn>;
}
impl<T> NoShowSlice for &Can<T> {
    fn shown_of(&self) -> Option<ShownFn> {
        None
    }
}

/// How the type and its slice are shown, if it has one.
#[macro_export]
macro_rules! shown_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::slices::{CanShowSlice as _, NoShowSlice as _};
        (&$crate::capability::Can::<$ty>::new()).shown_of()
    }};
}

/// How an object is shown, and the text that it holds, if it is one.
pub type TextFn = fn(&dyn Any) -> Option<(String, String)>;

capability!(CanShowText, NoShowText, text_of, [Debug, AsRef<[u8]>], TextFn, |x| {
    let value = known::<T>(x);
    let text = str::from_utf8(value.as_ref()).ok()?.to_owned();
    Some((format!("{value:?}"), text))
});

/// How the type is shown beside its bytes, if it has them and they are a text.
#[macro_export]
macro_rules! text_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::slices::{CanShowText as _, NoShowText as _};
        (&$crate::capability::Can::<$ty>::new()).text_of()
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_shown_beside_its_bytes() {
        let shown = text_of!(String).unwrap();
        assert_eq!(shown(&"ß".to_owned()), Some(("\"ß\"".to_owned(), "ß".to_owned())));
        assert_eq!(text_of!(Vec<u8>).unwrap()(&vec![0xff_u8]), None);
        assert!(text_of!(u8).is_none());
    }

    #[test]
    fn a_list_is_shown_beside_its_slice() {
        let (list, slice) = shown_of!(Vec<u8>).unwrap()(&vec![1_u8]);
        assert_eq!(list, slice);
        assert_eq!(slice[0], "[1]");
        assert!(shown_of!(String).is_none() && shown_of!(u8).is_none());
    }
}
