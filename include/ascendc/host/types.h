/* SPDX-License-Identifier: MIT */
/* For the host's part of an operator (op_host): types of elements, formats, status codes, shapes. */
#ifndef ASCENDC_HOST_TYPES_H
#define ASCENDC_HOST_TYPES_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream> /* tiling functions print without including it, as elsewhere */
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ge {

enum DataType {
	DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
	DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_STRING = 13, DT_DUAL_SUB_INT8 = 14, DT_DUAL_SUB_UINT8 = 15, DT_COMPLEX64 = 16,
	DT_COMPLEX128 = 17, DT_QINT8 = 18, DT_QINT16 = 19, DT_QINT32 = 20, DT_QUINT8 = 21, DT_QUINT16 = 22, DT_RESOURCE = 23,
	DT_STRING_REF = 24, DT_DUAL = 25, DT_VARIANT = 26, DT_BF16 = 27, DT_UNDEFINED = 28, DT_INT4 = 29, DT_UINT1 = 30, DT_INT2 = 31,
	DT_UINT2 = 32, DT_COMPLEX32 = 33, DT_HIFLOAT8 = 34, DT_FLOAT8_E5M2 = 35, DT_FLOAT8_E4M3FN = 36, DT_FLOAT8_E8M0 = 37, DT_FLOAT6_E3M2 = 38,
	DT_FLOAT6_E2M3 = 39, DT_FLOAT4_E2M1 = 40, DT_FLOAT4_E1M2 = 41, DT_MAX,
};

enum Format {
	FORMAT_NCHW = 0, FORMAT_NHWC = 1, FORMAT_ND = 2, FORMAT_NC1HWC0 = 3, FORMAT_FRACTAL_Z = 4, FORMAT_HWCN = 16, FORMAT_NDHWC = 27,
	FORMAT_FRACTAL_NZ = 29, FORMAT_NCDHW = 30, FORMAT_NDC1HWC0 = 32, FORMAT_FRACTAL_Z_3D = 33, FORMAT_NCL = 47, FORMAT_MAX = 255,
};

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0, GRAPH_FAILED = 0xffffffff, GRAPH_PARAM_INVALID = 50331649;

/** GetSizeByDataType() - bytes of an element; -1 if it has no whole number of them */
inline int GetSizeByDataType(DataType type)
{
	switch (type) {
	case DT_FLOAT: case DT_INT32: case DT_UINT32: case DT_COMPLEX32: return 4;
	case DT_FLOAT16: case DT_BF16: case DT_INT16: case DT_UINT16: return 2;
	case DT_INT64: case DT_UINT64: case DT_DOUBLE: case DT_COMPLEX64: return 8;
	case DT_COMPLEX128: return 16;
	case DT_INT8: case DT_UINT8: case DT_BOOL: case DT_HIFLOAT8: case DT_FLOAT8_E5M2: case DT_FLOAT8_E4M3FN: case DT_FLOAT8_E8M0: return 1;
	default: return -1;
	}
}

inline Format GetPrimaryFormat(int32_t format)
{
	return static_cast<Format>(format & 0xff);
}

class AscendString {
public:
	AscendString() = default;
	AscendString(const char *text) : text_(text ? text : "") {}
	const char *GetString() const { return text_.c_str(); }
	size_t GetLength() const { return text_.size(); }
	bool operator<(const AscendString &other) const { return text_ < other.text_; }
	bool operator==(const AscendString &other) const { return text_ == other.text_; }

private:
	std::string text_;
};

struct TypeUtils {
	/** DataTypeToSerialString() - the enumerator's name */
	static std::string DataTypeToSerialString(DataType type)
	{
		static const char *const names[] = {
			"FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE", "BOOL",
			"STRING", "DUAL_SUB_INT8", "DUAL_SUB_UINT8", "COMPLEX64", "COMPLEX128", "QINT8", "QINT16", "QINT32", "QUINT8",
			"QUINT16", "RESOURCE", "STRING_REF", "DUAL", "VARIANT", "BF16", "UNDEFINED", "INT4", "UINT1", "INT2", "UINT2",
			"COMPLEX32", "HIFLOAT8", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0",
		};
		size_t at = static_cast<size_t>(type);

		if (at < sizeof(names) / sizeof(*names) && *names[at])
			return std::string("DT_") + names[at];
		return "DataType " + std::to_string(type);
	}

	static std::string FormatToSerialString(Format format) { return "Format " + std::to_string(format); }
	static AscendString DataTypeToAscendString(DataType type) { return DataTypeToSerialString(type).c_str(); }
	static AscendString FormatToAscendString(Format format) { return FormatToSerialString(format).c_str(); }

	/** GetDataTypeLength() - bytes of an element; false for types that have no whole number of them */
	static bool GetDataTypeLength(DataType type, uint32_t &length)
	{
		int bytes = GetSizeByDataType(type);

		length = bytes > 0 ? static_cast<uint32_t>(bytes) : 0;
		return bytes > 0;
	}
};

} // namespace ge

namespace gert {

/** Shape - the dimensions of a tensor */
class Shape {
public:
	static constexpr size_t kMaxDimNum = 25;
	static constexpr int64_t kInvalidDimValue = INT64_MIN;

	Shape() = default;
	Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
	explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

	size_t GetDimNum() const { return dims_.size(); }
	void SetDimNum(size_t count) { dims_.resize(count); }
	int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
	int64_t operator[](size_t i) const { return dims_[i]; }
	int64_t &operator[](size_t i) { return dims_[i]; }
	void SetDim(size_t i, int64_t value) { if (i < dims_.size()) dims_[i] = value; }
	Shape &AppendDim(int64_t value) { dims_.push_back(value); return *this; }
	void SetScalar() { dims_.clear(); }
	bool IsScalar() const { return dims_.empty(); }
	bool operator==(const Shape &other) const { return dims_ == other.dims_; }
	bool operator!=(const Shape &other) const { return dims_ != other.dims_; }

	int64_t GetShapeSize() const
	{
		int64_t size = 1;

		for (int64_t dim : dims_)
			size *= dim;
		return size;
	}

private:
	std::vector<int64_t> dims_;
};

class StorageShape {
public:
	StorageShape() = default;
	StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage) : origin_(origin), storage_(storage) {}
	explicit StorageShape(const Shape &shape) : origin_(shape), storage_(shape) {}

	const Shape &GetOriginShape() const { return origin_; }
	const Shape &GetStorageShape() const { return storage_; }
	Shape &MutableOriginShape() { return origin_; }
	Shape &MutableStorageShape() { return storage_; }

private:
	Shape origin_, storage_;
};

class CompileTimeTensorDesc {
public:
	ge::DataType GetDataType() const { return type; }
	ge::Format GetStorageFormat() const { return format; }
	ge::Format GetOriginFormat() const { return format; }
	const CompileTimeTensorDesc &GetFormat() const { return *this; }

	ge::DataType type = ge::DT_FLOAT;
	ge::Format format = ge::FORMAT_ND;
};

/** Tensor - an input with its numbers, if the host knows them */
class Tensor {
public:
	const Shape &GetOriginShape() const { return shape.GetOriginShape(); }
	const Shape &GetStorageShape() const { return shape.GetStorageShape(); }
	const StorageShape &GetShape() const { return shape; }
	int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
	size_t GetSize() const { return data.size(); }
	ge::DataType GetDataType() const { return desc.type; }
	ge::Format GetStorageFormat() const { return desc.format; }
	ge::Format GetOriginFormat() const { return desc.format; }
	template <class T> const T *GetData() const { return data.empty() ? nullptr : reinterpret_cast<const T *>(data.data()); }
	template <class T> T *GetData() { return data.empty() ? nullptr : reinterpret_cast<T *>(data.data()); }
	const void *GetAddr() const { return data.empty() ? nullptr : data.data(); }

	StorageShape shape;
	CompileTimeTensorDesc desc;
	std::vector<uint8_t> data;
};

} // namespace gert

#endif
