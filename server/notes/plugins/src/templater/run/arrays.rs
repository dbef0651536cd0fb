//! Methods of arrays.

use std::cmp::Ordering;
use std::ops::Range;

use super::convert::{Arguments, count_value, from_end, to_signed};
use super::ids::ArrayId;
use super::value::Value;
use super::{Outcome, Position, Run};

impl Run<'_> {
    /// Calls a method; `None` if there is none of this name.
    pub(super) fn array_method(
        &mut self,
        position: Position,
        id: ArrayId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        if !matches!(name, "push" | "pop") {
            self.take_steps(position, self.heap.array(id).len())?;
        }
        match name {
            "push" | "unshift" => {
                let added = std::mem::take(&mut arguments.0);
                self.grow(position, added.len())?;
                let array = self.heap.array_mut(id);
                let at = if name == "push" { array.len() } else { 0 };
                array.splice(at..at, added);
                Ok(Some(count_value(array.len())))
            }
            "pop" => Ok(Some(self.heap.array_mut(id).pop().unwrap_or(Value::Undefined))),
            "shift" => {
                let array = self.heap.array_mut(id);
                Ok(Some(if array.is_empty() { Value::Undefined } else { array.remove(0) }))
            }
            "reverse" => {
                self.heap.array_mut(id).reverse();
                Ok(Some(Value::Array(id)))
            }
            "sort" => {
                let sorted = self.merge_sort(position, id, &arguments.next())?;
                *self.heap.array_mut(id) = sorted;
                Ok(Some(Value::Array(id)))
            }
            "splice" => self.splice(position, id, arguments).map(Some),
            "fill" => {
                let value = arguments.next();
                let range = self.range(position, self.heap.array(id).len(), arguments)?;
                self.heap.array_mut(id)[range].fill(value);
                Ok(Some(Value::Array(id)))
            }
            "map" | "filter" | "forEach" | "find" | "findIndex" | "findLast" | "some" | "every"
            | "flatMap" | "reduce" => self.with_each(position, id, name, arguments),
            _ => self.array_part(position, id, name, arguments),
        }
    }

    /// Methods that change nothing and call no function.
    fn array_part(
        &mut self,
        position: Position,
        id: ArrayId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let elements = self.heap.array(id).to_vec();
        let length = to_signed(elements.len());
        let value = match name {
            "join" => {
                let separator = match arguments.next_given() {
                    Some(separator) => self.convert_to_text(position, &separator)?.into_owned(),
                    None => ",".to_owned(),
                };
                let text = self.join(position, &elements, &separator)?;
                self.add_built_string(position, text)?
            }
            "toString" => {
                let text = self.join(position, &elements, ",")?;
                self.add_built_string(position, text)?
            }
            "includes" => {
                let other = arguments.next();
                let start = from_end(self.read_integer(position, &arguments.next(), 0)?, length);
                Value::Boolean(elements[start..].iter().any(|element| element.is(&other)))
            }
            "indexOf" => {
                let other = arguments.next();
                let start = from_end(self.read_integer(position, &arguments.next(), 0)?, length);
                let at = elements[start..].iter().position(|element| element.is(&other));
                at.map_or(Value::Number(-1.0), |at| count_value(start + at))
            }
            "lastIndexOf" => {
                let other = arguments.next();
                let last = self.read_integer(position, &arguments.next(), length)?;
                let last = if last < 0 { length + last } else { last };
                let end = usize::try_from(last.saturating_add(1)).unwrap_or(0);
                let end = end.min(elements.len());
                let at = elements[..end].iter().rposition(|element| element.is(&other));
                at.map_or(Value::Number(-1.0), count_value)
            }
            "at" => {
                let at = self.read_integer(position, &arguments.next(), 0)?;
                let at = if at < 0 { length + at } else { at };
                let element = usize::try_from(at).ok().and_then(|at| elements.get(at).cloned());
                element.unwrap_or(Value::Undefined)
            }
            "slice" => {
                let range = self.range(position, elements.len(), arguments)?;
                self.array(position, elements[range].to_vec())?
            }
            "concat" => {
                let mut all = elements;
                all.extend(self.flatten(position, std::mem::take(&mut arguments.0))?);
                self.array(position, all)?
            }
            "flat" => {
                let mut all = elements;
                for _ in 0..self.read_integer(position, &arguments.next(), 1)? {
                    if !all.iter().any(|element| matches!(element, Value::Array(_))) {
                        break;
                    }
                    self.take_steps(position, all.len())?;
                    all = self.flatten(position, all)?;
                }
                self.array(position, all)?
            }
            "entries" => {
                let mut pairs = Vec::new();
                for (at, element) in elements.into_iter().enumerate() {
                    pairs.push(self.array(position, vec![count_value(at), element])?);
                }
                self.array(position, pairs)?
            }
            "keys" => {
                let keys = (0..elements.len()).map(count_value).collect();
                self.array(position, keys)?
            }
            "values" => self.array(position, elements)?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The elements from a start to an end, which are the next arguments.
    fn range(
        &mut self,
        position: Position,
        length: usize,
        arguments: &mut Arguments,
    ) -> Outcome<Range<usize>> {
        let length = to_signed(length);
        let start = from_end(self.read_integer(position, &arguments.next(), 0)?, length);
        let end = from_end(self.read_integer(position, &arguments.next(), length)?, length);
        Ok(start..end.max(start))
    }

    /// The values, with the elements of each array in its place.
    fn flatten(&mut self, position: Position, values: Vec<Value>) -> Outcome<Vec<Value>> {
        let mut all = Vec::new();
        for value in values {
            match value {
                Value::Array(id) => {
                    self.take_steps(position, self.heap.array(id).len())?;
                    all.extend_from_slice(self.heap.array(id));
                }
                other => all.push(other),
            }
        }
        Ok(all)
    }

    /// Methods that call a function with each element.
    fn with_each(
        &mut self,
        position: Position,
        id: ArrayId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let function = arguments.next();
        let mut elements = self.heap.array(id).to_vec();
        if name == "reduce" {
            let start = (!arguments.0.is_empty()).then(|| arguments.next());
            return self.reduce(position, id, &function, start, elements).map(Some);
        }
        if name == "findLast" {
            elements.reverse();
        }
        let mut kept = Vec::new();
        for (at, element) in elements.into_iter().enumerate() {
            let given = vec![element.clone(), count_value(at), Value::Array(id)];
            let result = self.apply(position, &function, given)?;
            match name {
                "map" => kept.push(result),
                "flatMap" => match result {
                    Value::Array(id) => {
                        let inner = self.heap.array(id).to_vec();
                        self.grow(position, inner.len())?;
                        kept.extend(inner);
                    }
                    other => kept.push(other),
                },
                "filter" if result.is_truthy() => kept.push(element),
                "find" | "findLast" if result.is_truthy() => return Ok(Some(element)),
                "findIndex" if result.is_truthy() => return Ok(Some(count_value(at))),
                "some" if result.is_truthy() => return Ok(Some(Value::Boolean(true))),
                "every" if !result.is_truthy() => return Ok(Some(Value::Boolean(false))),
                _ => {}
            }
        }
        match name {
            "map" | "flatMap" | "filter" => self.array(position, kept).map(Some),
            "findIndex" => Ok(Some(Value::Number(-1.0))),
            "some" => Ok(Some(Value::Boolean(false))),
            "every" => Ok(Some(Value::Boolean(true))),
            _ => Ok(Some(Value::Undefined)),
        }
    }

    fn reduce(
        &mut self,
        position: Position,
        id: ArrayId,
        function: &Value,
        start: Option<Value>,
        elements: Vec<Value>,
    ) -> Outcome<Value> {
        let mut elements = elements.into_iter().enumerate();
        let Some(mut total) = start.or_else(|| elements.next().map(|(_, first)| first)) else {
            return Self::failure(position, "`reduce()` of an empty list without a start");
        };
        for (at, element) in elements {
            let given = vec![total, element, count_value(at), Value::Array(id)];
            total = self.apply(position, function, given)?;
        }
        Ok(total)
    }

    fn splice(
        &mut self,
        position: Position,
        id: ArrayId,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let length = to_signed(self.heap.array(id).len());
        let start = from_end(self.read_integer(position, &arguments.next(), 0)?, length);
        let after = length - to_signed(start);
        let removed = match arguments.next_given() {
            Some(removed) => self.read_integer(position, &removed, 0)?.clamp(0, after),
            None => after,
        };
        let range = start..start + removed.unsigned_abs();
        let added = std::mem::take(&mut arguments.0);
        self.grow(position, added.len())?;
        let removed = self.heap.array_mut(id).splice(range, added).collect();
        self.array(position, removed)
    }

    /// Sorts by merging, because a function of the template may fail or order inconsistently.
    fn merge_sort(
        &mut self,
        position: Position,
        id: ArrayId,
        function: &Value,
    ) -> Outcome<Vec<Value>> {
        let mut runs: Vec<Vec<Value>> =
            self.heap.array(id).iter().map(|element| vec![element.clone()]).collect();
        while runs.len() > 1 {
            let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
            let mut pairs = runs.into_iter();
            while let Some(left) = pairs.next() {
                merged.push(match pairs.next() {
                    Some(right) => self.merge(position, left, right, function)?,
                    None => left,
                });
            }
            runs = merged;
        }
        Ok(runs.pop().unwrap_or_default())
    }

    fn merge(
        &mut self,
        position: Position,
        left: Vec<Value>,
        right: Vec<Value>,
        function: &Value,
    ) -> Outcome<Vec<Value>> {
        self.take_steps(position, left.len() + right.len())?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let order = self.compare_with(position, a, b, function)?;
            merged.extend(if order.is_le() { left.next() } else { right.next() });
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }

    fn compare_with(
        &mut self,
        position: Position,
        a: &Value,
        b: &Value,
        function: &Value,
    ) -> Outcome<Ordering> {
        if !matches!(function, Value::Undefined) {
            let order = self.apply(position, function, vec![a.clone(), b.clone()])?;
            let order = self.convert_to_number(position, &order)?;
            return Ok(order.partial_cmp(&0.0).unwrap_or(Ordering::Equal));
        }
        // Undefined comes last; everything else is compared as text.
        let undefined = |value: &Value| matches!(value, Value::Undefined);
        if undefined(a) || undefined(b) {
            return Ok(undefined(a).cmp(&undefined(b)));
        }
        let (a, b) = (self.convert_to_text(position, a)?, self.convert_to_text(position, b)?);
        Ok(a.encode_utf16().cmp(b.encode_utf16()))
    }
}
